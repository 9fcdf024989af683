"""A picture of the scores: a row per cell, a mark per method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .methods import METHODS, TITLES
from .scores import CellScores

LEAST, MOST = -0.5, 1.1
"""Scores beyond are drawn here. Behaviour may earn more than the best method."""
MARKS = {
    "behaviour": ("|", "black"),
    "default": ("o", "tab:cyan"),
    "fit": ("D", "tab:blue"),
    "own-dqn": ("x", "tab:purple"),
    "own-bcq": ("+", "tab:purple"),
    "cql": ("^", "tab:red"),
    "bcq": ("s", "tab:orange"),
    "ddqn": ("v", "tab:brown"),
    "bc": ("<", "tab:green"),
}


def draw(cells: Sequence[CellScores], path: Path) -> None:
    """Draw the scores of cells."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9.0, 1.6 + 0.42 * len(cells)))
    places = np.arange(len(cells))[::-1]
    axes.axvline(0.0, color="lightgrey", zorder=0)
    axes.axvline(1.0, color="lightgrey", zorder=0)
    for method in METHODS:
        if method not in MARKS:
            continue
        mark, colour = MARKS[method]
        own = [(cell, place) for cell, place in zip(cells, places) if method in cell.methods]
        if not own:
            continue
        axes.scatter(
            [float(np.clip(cell.score(method), LEAST, MOST)) for cell, _ in own],
            [place for _, place in own],
            marker=mark,
            c=colour,
            s=150 if method == "behaviour" else 80 if method == "fit" else 45,
            label=TITLES[method],
            zorder=3 if method == "fit" else 2,
            alpha=0.9,
        )
    axes.set_yticks(places, [cell.name for cell in cells])
    axes.set_ylim(-0.6, len(cells) - 0.4)
    axes.set_xlim(LEAST - 0.05, MOST + 0.05)
    axes.set_xlabel("score: random actions 0, best method of the cell 1 (at the edges: or beyond)")
    axes.grid(axis="y", color="whitesmoke", zorder=0)
    figure.legend(loc="upper center", ncols=5, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 1.0 - 0.7 / (1.6 + 0.42 * len(cells))))
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
