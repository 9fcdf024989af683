"""The figures: bars of the final scores as in Figure 5, curves over training as in Figure 3."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..candidates import SETS
from ..ledger import Ledger, pooled
from ..page import fill
from .evaluation import KEY, VALUES, best, open_ledger
from .protocol import Protocol
from .summary import LEARNERS, Game, claims, table

COLOURS = {"baseline": "tab:gray", 1: "tab:blue", 6: "tab:orange", 20: "tab:green"}
BARS = {
    "DQN": ("dqn", "baseline", "silver"),
    "DAC-DQN": ("dqn", "dac N_e=6", "tab:blue"),
    "BCQ": ("bcq", "baseline", "gray"),
    "DAC-BCQ": ("bcq", "dac N_e=6", "tab:orange"),
    "random DAC": ("random", "dac N_e=6", "tab:green"),
    "dynamics DAC": ("dynamics", "dac N_e=6", "tab:purple"),
}


def plot(protocol: Protocol, runs: Path) -> dict[str, str]:
    """Write results.csv, table.md and the figures of all games, and return the tables by name."""
    ledgers = {game: open_ledger(runs, game) for game in protocol.games}
    ledgers = {game: ledger for game, ledger in ledgers.items() if ledger.rows}
    if not ledgers:
        raise SystemExit(f"{runs} holds no results yet: run `evaluate` first.")
    with open(runs / "results.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, (*KEY, *VALUES), lineterminator="\n")
        writer.writeheader()
        for ledger in ledgers.values():
            writer.writerows(ledger.rows)
    games = [Game(name, ledger, protocol.updates) for name, ledger in ledgers.items()]
    parts = {"scores": table(protocol, games), "comparisons": claims(games)}
    (runs / "table.md").write_text("\n\n".join(parts.values()) + "\n")
    _draw_curves(protocol, ledgers, runs / "scores.png")
    _draw_bars(games, runs / "bars.png")
    return parts


def publish(protocol: Protocol, runs: Path, name: str) -> None:
    """Put rows, bars and tables where the repository keeps them.

    Args:
        protocol: with the games that have rows.
        runs: where they are.
        name: of the protocol.
    """
    home = Path(__file__).parent
    docs = home.parents[1] / "docs"
    parts = {f"{name} {part}": text for part, text in plot(protocol, runs).items()}
    shutil.copyfile(runs / "results.csv", home / "results" / f"{name}.csv")
    shutil.copyfile(runs / "bars.png", docs / "images" / f"atari-{name}.png")
    shutil.copyfile(runs / "scores.png", docs / "images" / f"atari-{name}-curves.png")
    page = docs / "atari.md"
    page.write_text(fill(page.read_text(), parts))


def _draw_bars(games: list[Game], file: Path) -> None:
    """Draw a panel of raw scores for each game, and one of all, normalised."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    bars = {
        label: bar
        for label, bar in BARS.items()
        if any(len(game.score(*bar[:2]).returns) for game in games)
    }
    columns = 4
    rows = -(-len(games) // columns)
    figure = plt.figure(figsize=(12, 2.6 * (rows + 1.3)))
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[*[1.0] * rows, 1.3])
    for place, game in enumerate(games):
        panel = figure.add_subplot(grid[place // columns, place % columns])
        for number, (name, policy, colour) in enumerate(bars.values()):
            _bar(panel, number, game.score(name, policy), colour)
        for policy, style in (("at random", ":"), ("behaviour", "--")):
            report = game.ends(policy)
            if len(report.returns):
                panel.axhline(report.mean, color="k", ls=style, lw=1)
        panel.set_title(game.name, fontsize=9)
        panel.set_xticks([])
        panel.tick_params(labelsize=7)
    whole = figure.add_subplot(grid[rows, :])
    width = 1.0 / (len(bars) + 1)
    for number, (label, (name, policy, colour)) in enumerate(bars.items()):
        for place, game in enumerate(games):
            ends = [game.ends(end) for end in ("at random", "behaviour")]
            if all(len(end.returns) for end in ends) and ends[0].mean != ends[1].mean:
                zero, one = (end.mean for end in ends)
                scale = (zero, one - zero)
                _bar(whole, place + number * width, game.score(name, policy), colour, width, scale)
        whole.bar(0, 0, color=colour, label=label)
    whole.axhline(0, color="k", ls=":", lw=1, label="random play")
    whole.axhline(1, color="k", ls="--", lw=1, label="behaviour")
    whole.set_xticks(np.arange(len(games)) + width * (len(bars) - 1) / 2)
    whole.set_xticklabels([game.name for game in games], fontsize=8)
    whole.set_ylabel("normalised score", fontsize=8)
    whole.legend(fontsize=7, ncols=4)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _bar(
    panel: Any,
    place: float,
    report: da.EvaluationReport,
    colour: str,
    width: float = 0.8,
    scale: tuple[float, float] = (0.0, 1.0),
) -> None:
    """Draw a mean with its 95 % interval, less scale[0] and divided by scale[1]."""
    if len(report.returns) == 0:
        return
    zero, one = scale
    mean, low, high = ((value - zero) / one for value in (report.mean, *report.interval))
    spread = [[mean - low], [high - mean]]
    panel.bar(place, mean, width, color=colour, yerr=np.abs(spread), capsize=2, ecolor="k")


def _draw_curves(protocol: Protocol, ledgers: dict[str, Ledger], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shape = (len(ledgers), len(LEARNERS))
    figure, panels = plt.subplots(
        *shape, figsize=(4.5 * shape[1], 3.0 * shape[0]), squeeze=False, sharey="row"
    )
    for row, (game, ledger) in zip(panels, ledgers.items(), strict=True):
        for panel, learner in zip(row, LEARNERS, strict=True):
            for policy in ("baseline", *SETS):
                points = _curve(protocol, ledger, game, learner, policy)
                if points:
                    middle = [report.mean for _, report in points]
                    ends = np.array([report.interval for _, report in points]).T
                    label = "its own policy" if policy == "baseline" else f"DAC, $N_e={policy}$"
                    panel.errorbar(
                        [updates for updates, _ in points],
                        middle,
                        np.abs(ends - middle),
                        label=label,
                        color=COLOURS[policy],
                        marker=".",
                        capsize=3,
                    )
            random = pooled(ledger.select(representation="random", policy="dac N_e=1"))
            if len(random.returns):
                label = "DAC on a random network"
                panel.axhline(random.mean, color="k", ls=":", lw=1, label=label)
            panel.set(title=f"{game}, {learner.upper()}", xlabel="updates")
        row[0].set_ylabel("score")
    panels[0, 0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, dpi=130)
    plt.close(figure)


def _curve(
    protocol: Protocol, ledger: Ledger, game: str, learner: str, policy: Any
) -> list[tuple[int, da.EvaluationReport]]:
    """Return the points of a curve, the best of N_e chosen for each seed as in the paper."""
    points = []
    for updates in sorted({int(row["updates"]) for row in ledger.select(representation=learner)}):
        place = {"game": game, "representation": learner, "updates": updates}
        rows: list[dict[str, str]] = []
        if policy == "baseline":
            rows = ledger.select(**place, policy="baseline", round="search")
            rows = rows or ledger.select(**place, policy="baseline")
        else:
            count = (
                protocol.num_candidates
                if updates == protocol.updates
                else protocol.curve_candidates
            )
            seeds = sorted({row["seed"] for row in ledger.select(**place, policy="dac")})
            if policy <= count:
                rows = [best(ledger, policy, **place, seed=seed) for seed in seeds]
        if rows:
            points.append((updates, pooled(rows)))
    return points
