"""The figures: bars of the final scores as in Figure 5, curves over training as in Figure 3."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..ledger import Ledger, pooled
from ..page import fill
from .evaluation import KEY, VALUES, best, open_ledger
from .protocol import Protocol
from .summary import Game, claims, table

BARS = {
    "DQN": ("dqn", "baseline", "silver"),
    "DAC-DQN": ("dqn", "dac N_e=6", "tab:blue"),
    "BCQ": ("bcq", "baseline", "gray"),
    "DAC-BCQ": ("bcq", "dac N_e=6", "tab:orange"),
    "random DAC": ("random", "dac N_e=6", "tab:green"),
    "dynamics DAC": ("dynamics", "dac N_e=6", "tab:purple"),
}

NORMALISED = (-1.0, 2.0)
"""What the panel of normalised scores shows, at most."""
CURVES: dict[str, tuple[str, Any, str]] = {
    "DQN": ("dqn", "baseline", "silver"),
    "DAC-DQN": ("dqn", 6, "tab:blue"),
    "BCQ": ("bcq", "baseline", "gray"),
    "DAC-BCQ": ("bcq", 6, "tab:orange"),
}
"""Lines of a panel: representation, "baseline" or N_e, and colour."""


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
    parts = {"scores": table(protocol, games), "comparisons": claims(protocol, games)}
    (runs / "table.md").write_text("\n\n".join(parts.values()) + "\n")
    _draw_curves(protocol, games, runs / "scores.png")
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
        _draw_ends(panel, game)
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
    whole.set_xlim(-width, len(games))
    low, high = whole.get_ylim()
    whole.set_ylim(max(low, NORMALISED[0]), min(high, NORMALISED[1]))
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / figure.get_figheight()))
    handles, labels = whole.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=len(labels), fontsize=8, frameon=False)
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


def _draw_curves(protocol: Protocol, games: list[Game], file: Path) -> None:
    """Draw a panel for each game: the networks and the plans on them, over training."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    on_the_way = [game for game in games if len(game.points) > 1]
    games = on_the_way or games
    columns = min(4, len(games))
    rows = -(-len(games) // columns)
    figure, panels = plt.subplots(
        rows, columns, figsize=(3 * columns, 2.5 * rows + 0.5), squeeze=False, sharex=True
    )
    for panel, game in zip(panels.flat, games, strict=False):
        for label, (learner, policy, colour) in CURVES.items():
            points = _curve(protocol, game.ledger, game.name, learner, policy)
            if points:
                middle = np.array([report.mean for _, report in points])
                ends = np.array([report.interval for _, report in points]).T
                panel.errorbar(
                    [updates / 1_000 for updates, _ in points],
                    middle,
                    np.abs(ends - middle),
                    color=colour,
                    marker=".",
                    elinewidth=0.7,
                    capsize=2,
                    label=label,
                )
        random = game.score("random", "dac N_e=6")
        if len(random.returns):
            panel.axhline(random.mean, color="tab:green", lw=1.2, label="random DAC")
        _draw_ends(panel, game)
        panel.set_title(game.name, fontsize=9)
        panel.tick_params(labelsize=7)
    for panel in panels.flat[len(games) :]:
        panel.set_visible(False)
    for panel in panels[-1]:
        panel.set_xlabel("thousand updates", fontsize=8)
    for row in panels:
        row[0].set_ylabel("score", fontsize=8)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.tight_layout(rect=(0, 0.5 / figure.get_figheight(), 1, 1))
    figure.legend(handles, labels, loc="lower center", ncols=4, fontsize=8, frameon=False)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _draw_ends(panel: Any, game: Game) -> None:
    """Draw random play as a dotted line, and the behaviour as a dashed one."""
    for policy, style in (("at random", ":"), ("behaviour", "--")):
        report = game.ends(policy)
        if len(report.returns):
            panel.axhline(report.mean, color="k", ls=style, lw=1, label=policy)


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
