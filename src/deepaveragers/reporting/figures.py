"""Pictures of a report: transparent, in colours that are read on light and on dark."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..markup import escaped
from ..printable import printable
from ..solvers.planned_actions import action_spans
from .accounts import Account
from .report import Report

INK = "#808890"
"""Of axes and words."""
COLORS = ("#3d8fc4", "#e08a3c", "#58a65c", "#c0568a", "#9a7bd0", "#c9b037", "#4fb3ad", "#d0605e")
ACTIONS_SHOWN = 8
"""Actions with a colour of their own; the most frequent."""
NAME_LENGTH = 28
"""Characters of a name on an axis."""
BINS = 30
FEW_VALUES = 40
"""Of a column, up to which states are spread out around them."""
JITTER = 0.3
"""How far to either side, in distances between two values."""


def data_picture(report: Report) -> str:
    """Return the returns of episodes, and actions as logged and as planned, as an image."""
    figure, (left, right) = _figure(2)
    # Axes end before floats do.
    returns = np.clip(report.diagnosis.returns, -1e300, 1e300)
    low, high = float(returns.min()), float(returns.max())
    margin = 0.0 if high > low else max(0.5, abs(low) / 2)
    left.hist(returns, bins=np.linspace(low - margin, high + margin, BINS + 1), color=COLORS[0])
    left.set_xlabel("return of a logged episode")
    left.set_ylabel("episodes")
    _actions(right, report)
    right.set_ylabel("% of logged states")
    right.legend(
        frameon=False, labelcolor=INK, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2
    )
    return _image(figure, "returns of logged episodes; actions of log and plan")


def _actions(axes: Any, report: Report) -> None:
    """Draw how often log and plan take an action; of rows, the numbers of the first account."""
    account, names = report.accounts[0], report.data.action_names
    log, plan = report.decisions.logged, report.decisions.planned
    if account.column is not None:
        low, high = action_spans(report.data)[:, account.column]
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
        share = np.full(len(log), 100.0 / len(log))
        for label, rows, color in (("log", log, COLORS[0]), ("plan", plan, COLORS[1])):
            values = rows[:, account.column]
            axes.hist(values, edges, weights=share, label=label, color=color, alpha=0.6)
        axes.set_xlabel(_words(names[account.column]))
        return
    shown = _frequent(report)
    for shift, label, taken, color in (
        (-0.2, "log", log, COLORS[0]),
        (0.2, "plan", plan, COLORS[1]),
    ):
        shares = np.bincount(taken, minlength=len(names))[shown] / len(taken)
        axes.bar(np.arange(len(shown)) + shift, 100 * shares, 0.4, label=label, color=color)
    axes.set_xticks(range(len(shown)), [_words(names[action], 12) for action in shown])
    axes.set_xlabel("action")


def map_picture(report: Report, account: Account) -> str:
    """Return what the plan does over the two columns that rules ask first, as an image."""
    columns = report.decisions.columns
    if not columns.shape[1]:
        return ""
    figure, (left, right) = _figure(2)
    places = _asked_first(report, account)
    chance = np.random.default_rng(0)
    points = [_spread(columns[:, place], chance) for place in places]
    if len(points) == 1:
        points.append(chance.uniform(size=len(columns)))
    labels = [_words(report.columns[place]) for place in places] + ["(spread out by chance)"]
    both = ((left, report.decisions.logged, "log"), (right, report.decisions.planned, "plan"))
    for axes, taken, title in both:
        drawn = _scatter(axes, points, taken, report, account)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        _name_flags(axes, [columns[:, place] for place in places])
        axes.set_title(f"what the {title} does", color=INK)
    if account.column is None:
        right.legend(
            frameon=False, labelcolor=INK, loc="center left", bbox_to_anchor=(1.0, 0.5),
            markerscale=4,
        )  # fmt: skip
    else:
        bar = figure.colorbar(drawn, ax=right)
        bar.set_label(_words(report.data.action_names[account.column]), color=INK)
        bar.ax.tick_params(colors=INK)
        bar.outline.set_edgecolor(INK)
    return _image(figure, f"actions of log and plan over {' and '.join(labels[:2])}")


def _scatter(
    axes: Any, points: Sequence[Array], taken: Array, report: Report, account: Account
) -> Any:
    names = report.data.action_names
    if account.column is not None:
        low, high = action_spans(report.data)[:, account.column]
        colours = taken[:, account.column]
        return axes.scatter(*points, s=4, c=colours, vmin=low, vmax=high, linewidths=0)
    colours = np.full(len(taken), INK)
    for place, action in enumerate(_frequent(report)):
        colours[taken == action] = COLORS[place]
        label = " " + _words(names[action], 18)  # Matplotlib leaves out what begins with "_"
        axes.scatter([], [], s=4, c=COLORS[place], label=label, linewidths=0)
    # In an order of chance: no action is drawn over all others.
    order = np.random.default_rng(0).permutation(np.flatnonzero(colours != INK))
    axes.scatter(points[0][order], points[1][order], s=4, c=colours[order], linewidths=0)
    return None


def _asked_first(report: Report, account: Account) -> list[int]:
    """Return two columns: those that the rules ask most states about, then the first ones.

    Columns of more than two values come before flags, which hardly spread the states.
    """
    weights: dict[int, int] = {}
    for rule in account.rules:
        for one in rule.conditions:
            weights[one.column] = weights.get(one.column, 0) + len(rule.states)
    asked = sorted(weights, key=lambda column: -weights[column])
    rest = [place for place in range(len(report.columns)) if place not in weights]
    columns = report.decisions.columns
    return sorted([*asked, *rest], key=lambda place: len(_two_values(columns[:, place])) > 0)[:2]


def _two_values(values: Array) -> Array:
    """Return the values of a column that has at most two; else none."""
    distinct = np.unique(values)
    return distinct if len(distinct) <= 2 else distinct[:0]


def _spread(values: Array, chance: np.random.Generator) -> Array:
    """Return a column to draw; few values are spread out by chance, two of them are 0 and 1."""
    distinct = np.unique(values)
    if len(distinct) > FEW_VALUES:
        return values
    if len(distinct) <= 2:
        values, distinct = np.searchsorted(distinct, values), np.arange(2.0)
    reach = JITTER * float(np.diff(distinct).min())
    return values + chance.uniform(-reach, reach, len(values))


def _name_flags(axes: Any, columns: Sequence[Array]) -> None:
    """Write the values of flags beside the axes."""
    for axis, values in zip((axes.xaxis, axes.yaxis), columns, strict=False):
        flags = _two_values(values)
        if len(flags):
            yes_no = bool(np.isin(flags, (0.0, 1.0)).all())
            names = [("no", "yes")[int(one)] if yes_no else f"{one:g}" for one in flags.tolist()]
            axis.set_ticks(range(len(flags)), names)


def _frequent(report: Report) -> list[int]:
    """Return the most frequent actions of log and plan, in the order of their numbers."""
    count = len(report.data.action_names)
    both = np.concatenate((report.decisions.logged, report.decisions.planned))
    order = np.argsort(-np.bincount(both, minlength=count), kind="stable")
    return sorted(order[:ACTIONS_SHOWN].tolist())


def _words(name: str, most: int = NAME_LENGTH) -> str:
    """Return a name as Matplotlib shall draw it: short, and no formula."""
    cut = name if len(name) <= most else name[: most - 1] + "…"
    return printable(cut).replace("$", r"\$")


def _figure(panels: int) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.4), layout="constrained", facecolor="none")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, panels)
    for one in axes:
        one.set_facecolor("none")
        one.tick_params(colors=INK)
        one.xaxis.label.set_color(INK)
        one.yaxis.label.set_color(INK)
        one.spines[["top", "right"]].set_visible(False)
        one.spines[["left", "bottom"]].set_color(INK)
    return figure, axes


def _image(figure: Any, words: str) -> str:
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a letter that the font lacks
        figure.savefig(content, format="png", dpi=140, metadata={"Software": None})
    picture = base64.b64encode(content.getvalue()).decode()
    return f'<img alt="{escaped(words)}" src="data:image/png;base64,{picture}">'
