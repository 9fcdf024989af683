"""A picture of what each judge says of the best candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..pictures import save_figure
from .answer import SHOWN_ROWS, WORDS
from .intervals import Estimate

if TYPE_CHECKING:
    from .answer import Fit

COLORS = {"simulator": "#33658a", "fitted_q": "#86bbd8", "importance": "#f6ae2d"}
ROW_INCHES = 0.42


def draw_fit(fit: Fit, path: Path) -> Path:
    """Draw the estimates with their intervals, the answer on top, and return the path."""
    from matplotlib.figure import Figure

    rows = fit.judged[:SHOWN_ROWS]
    figure = Figure(figsize=(9.5, 2.0 + ROW_INCHES * (len(rows) + 1)), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(*fit.interval, color="#d5dbe1", alpha=0.6, linewidth=0)
    for place, one in enumerate(rows):
        for shift, name in enumerate(WORDS):
            found = one.estimates[name]
            if isinstance(found, Estimate):
                height = place + 0.22 * (shift - 1)
                axes.hlines(height, found.low, found.high, color=COLORS[name], linewidth=2)
                axes.plot(found.value, height, "o", color=COLORS[name], markersize=4)
    for name, color in COLORS.items():
        if any(isinstance(one.estimates[name], Estimate) for one in rows):
            axes.plot([], [], "o-", color=color, label=WORDS[name], markersize=4)
    axes.axvline(0.0, color="black", linewidth=1)
    labels = [f"{one.candidate}{' (chosen)' * (one.candidate is fit.candidate)}" for one in rows]
    axes.set_yticks(range(len(rows)), labels)
    axes.invert_yaxis()
    figure.supxlabel(
        f"discounted return more than logged behaviour's {fit.behaviour.value:.4g} "
        f"(grey: the answer's {fit.level:.0%} interval)",
        fontsize="medium",
    )
    figure.legend(frameon=False, loc="outside upper center", ncols=len(COLORS))
    axes.spines[["top", "right"]].set_visible(False)
    return save_figure(figure, path)
