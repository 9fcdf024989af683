"""The table and the figure: curves over training as in Figure 3, final scores as in Figure 4."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..candidates import SETS
from ..ledger import Ledger, pooled
from .evaluation import KEY, VALUES, best, open_ledger
from .protocol import Protocol, data_dir

COLOURS = {"baseline": "tab:gray", 1: "tab:blue", 6: "tab:orange", 20: "tab:green"}


def plot(protocol: Protocol, runs: Path) -> str:
    """Write results.csv, table.md and scores.png of all games, and return the table."""
    ledgers = {game: open_ledger(runs, game) for game in protocol.games}
    ledgers = {game: ledger for game, ledger in ledgers.items() if ledger.rows}
    if not ledgers:
        raise SystemExit(f"{runs} holds no results yet: run `evaluate` first.")
    with open(runs / "results.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, (*KEY, *VALUES), lineterminator="\n")
        writer.writeheader()
        for ledger in ledgers.values():
            writer.writerows(ledger.rows)
    text = _table(protocol, runs, ledgers)
    (runs / "table.md").write_text(text + "\n")
    _draw(protocol, ledgers, runs / "scores.png")
    return text


def _table(protocol: Protocol, runs: Path, ledgers: dict[str, Ledger]) -> str:
    sizes = [size for size in SETS if size <= protocol.num_candidates]
    policies = ["baseline", *(f"dac N_e={size}" for size in sizes)]
    lines = [
        "| game | data | representation | its own policy | "
        + " | ".join(f"DAC, N_e = {size}" for size in sizes)
        + " |",
        "|---|---|---|" + "---|" * len(policies),
    ]
    for game, ledger in ledgers.items():
        about = json.loads((data_dir(runs, game) / "about.json").read_text())
        behaviour = f"{np.mean(about['episode_returns'] or [np.nan]):.1f}"
        for name, updates in (("random", 0), ("dqn", protocol.updates), ("bcq", protocol.updates)):
            place = {"representation": name, "updates": updates, "round": "judge"}
            reports = [pooled(ledger.select(**place, policy=policy)) for policy in policies]
            cells = [_cell(report) for report in reports]
            lines.append(f"| {game} | {behaviour} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(report: da.EvaluationReport) -> str:
    if len(report.returns) == 0:
        return "-"
    low, high = report.interval
    return f"{report.mean:.1f} ({low:.1f} to {high:.1f})"


def _draw(protocol: Protocol, ledgers: dict[str, Ledger], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    learners = ("dqn", "bcq")
    shape = (len(ledgers), len(learners))
    figure, panels = plt.subplots(
        *shape, figsize=(4.5 * shape[1], 3.0 * shape[0]), squeeze=False, sharey="row"
    )
    for row, (game, ledger) in zip(panels, ledgers.items(), strict=True):
        for panel, learner in zip(row, learners, strict=True):
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
