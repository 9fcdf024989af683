"""What is known of the columns: their kinds, categories among them, and what tells most."""

from __future__ import annotations

import re
from itertools import groupby

import msgspec
import numpy as np

from ..arrays import Float64, Int64
from ..data.transitions import Transitions
from ..solvers.planned_actions import action_spans
from .axes import Axes
from .messages import ActionColumn, ActionCount, Choice, Column

MINUS = "\N{MINUS SIGN}"
"""As the page writes it."""
FEW = 12
"""Different whole numbers up to which a column is a category."""
LOOKED_AT = 5_000
"""Values by which the kind of a column is told."""
JUDGED = 20_000
"""States by which columns are ranked, at least, where there are as many."""
BINS = 20
"""Parts of a column, with as many states each, in which values are averaged."""
PAIR_BINS = 10
"""Parts of each of two columns that are judged together."""


def columns_of(axes: Axes) -> tuple[Column, ...]:
    """Return what is known of every column."""
    sample = axes.sample()
    found = [
        _column(name, unit, sample[:, place])
        for place, (name, unit) in enumerate(zip(axes.labels, axes.units, strict=True))
    ]
    for part, several in groupby(range(len(found)), key=lambda place: _part(found[place])):
        places = list(several)
        # A category of the log became columns of 0 and 1, of which one is 1.
        if part and len(places) > 1 and (sample[:, places].sum(axis=1) == 1.0).all():
            choices = _choices([found[place].name for place in places])
            found[places[0]] = msgspec.structs.replace(found[places[0]], choices=choices)
    return tuple(found)


def action_counts(data: Transitions) -> tuple[ActionCount, ...]:
    """Return the actions and how often the log has each; none where they are rows."""
    if data.action_vectors:
        return ()
    counts = np.bincount(data.actions, minlength=data.num_actions).tolist()
    return tuple(
        ActionCount(place, name, counts[place]) for place, name in enumerate(data.action_names)
    )


def action_columns(data: Transitions) -> tuple[ActionColumn, ...]:
    """Return the columns of actions that are rows; none otherwise."""
    if not data.action_vectors:
        return ()
    (low, high), whole = action_spans(data).tolist(), data.actions.dtype.kind == "i"
    return tuple(
        ActionColumn(n, name, low[n], high[n], whole) for n, name in enumerate(action_labels(data))
    )


def action_labels(data: Transitions) -> tuple[str, ...]:
    """Return the names of actions, or of their columns; columns that have only numbers say so."""
    if not data.action_vectors:
        return data.action_names
    return tuple(f"action {name}" if name.isdecimal() else name for name in data.action_names)


def typeset(text: str) -> str:
    """Return a text with its numbers as the page writes them: a true minus, a space before %."""
    return re.sub(r"(?<=\d)%", " %", re.sub(r"(?<!\w)-(?=\d)", MINUS, text))


def in_words(data: Transitions, option: int) -> str:
    """Return an option in words: the name of an action, or a row by its columns."""
    labels = action_labels(data)
    if not data.action_vectors:
        return labels[option]
    numbers = zip(labels, data.actions[option].tolist(), strict=True)
    told = ", ".join(f"{label} {number:.3g}" for label, number in numbers)
    return typeset(told)


def first_axes(axes: Axes, values: Float64) -> tuple[str, ...]:
    """Return two axes that tell most of values [N]: columns, or components where there are few.

    The first tells most by itself; the second tells most together with the first.
    """
    sample, picked = axes.sample(), values[axes.picks]
    few = slice(None, None, max(1, len(picked) // JUDGED))
    sample, picked = sample[few], picked[few]
    varied = [place for place in range(sample.shape[1]) if _varied(sample[:, place])]
    best = _best_columns(sample, picked, varied)
    known = [axis.id for axis in axes.axes()]
    components = [name for name in known if name.startswith("p")]
    return tuple([*(f"c{place}" for place in best), *components, *known][:2])


def _best_columns(sample: Float64, values: Float64, places: list[int]) -> list[int]:
    """Return up to two of the columns; of equal ones, the earlier."""
    if not places:
        return []
    first = max(places, key=lambda place: _told(_bins(sample[:, place], BINS), values))
    others = [place for place in places if place != first]
    if not others:
        return [first]
    rows = _bins(sample[:, first], PAIR_BINS) * PAIR_BINS
    second = max(others, key=lambda place: _told(rows + _bins(sample[:, place], PAIR_BINS), values))
    return [first, second]


def _varied(column: Float64) -> bool:
    """Whether a column has more than a few different values: a map of flags shows lines.

    Of a dozen states, half as many are enough.
    """
    looked_at = column[:: max(1, len(column) // LOOKED_AT)]
    return len(np.unique(looked_at)) > min(FEW, len(looked_at) // 2)


def _bins(column: Float64, most: int) -> Int64:
    """Return [S] the bins of a column, with about as many states each."""
    edges = np.unique(np.quantile(column, np.linspace(0, 1, most + 1)[1:-1]))
    return np.searchsorted(edges, column, side="right")


def _told(cells: Int64, values: Float64) -> float:
    """Return the share of the variance of values [S] that lies between cells [S].

    It is adjusted for the number of cells: columns of noise tell about 0.
    """
    counts = np.bincount(cells)
    means = np.bincount(cells, weights=values) / np.maximum(counts, 1)
    size, occupied = len(values), int((counts > 0).sum())
    within = float(((values - means[cells]) ** 2).sum()) / max(1, size - occupied)
    overall = float(values.var()) * size / max(1, size - 1)
    return 1.0 - within / max(overall, np.finfo(np.float64).tiny)


def _part(column: Column) -> str:
    """Return the name of the category that a flag may belong to; "" for none."""
    part, equals, _ = column.name.rpartition("=")
    return part if equals and column.kind == "flag" else ""


def _choices(names: list[str]) -> tuple[Choice, ...]:
    return tuple(
        Choice(name.rpartition("=")[2], {other: float(other == name) for other in names})
        for name in names
    )


def _column(name: str, unit: str, values: Float64) -> Column:
    different = np.unique(values[:: max(1, len(values) // LOOKED_AT)])
    whole = bool((different == np.round(different)).all())
    return Column(
        name=name,
        low=float(values.min()),
        high=float(values.max()),
        quantiles=tuple(np.quantile(values, (0.02, 0.25, 0.5, 0.75, 0.98)).tolist()),
        kind=(
            "flag"
            if np.isin(different, (0.0, 1.0)).all()
            else "category"
            if whole and len(different) <= FEW
            else "number"
        ),
        unit=unit,
    )
