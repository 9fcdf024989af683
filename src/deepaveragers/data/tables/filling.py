"""Observations as they go into the dataset: categories spread out, missing values filled.

A category becomes a column of 0 and 1 per label, `sex=F`. A missing number is replaced by the
last one before it in its episode, or by the mean of its column, and a column `lactate=missing`
keeps the knowledge that it was missing. Everything is done some rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Bool, Float64, Int64
from ...errors import InputError
from ..column_names import numbered
from ..mapping import Fill
from ..observations import rows_at_once
from ..scratch import room
from .columns import Columns
from .observation_column import ObservationColumn

MISSING = "missing"
SHOWN = 8


@dataclass(frozen=True, eq=False)
class Observations:
    """What the dataset will hold of R rows.

    Attributes:
        here: [R, D] s.
        later: [R, D] s' where the table has it, or None.
        names: of the D columns.
        origins: the table's column that each came from.
        notes: what was filled.
    """

    here: Array
    later: Array | None
    names: tuple[str, ...]
    origins: tuple[str, ...]
    notes: tuple[str, ...] = ()


def prepared(columns: Columns, fill: Fill | None) -> Observations:
    """Return the observations of ordered rows, spread out and filled."""
    layout = columns.layout
    here, later = columns.observations, columns.next_observations
    names, origins = _names(layout)
    if any(one.categories() is not None or one.left_out is not None for one in layout):
        here = _spread(here, layout, len(names))
        later = None if later is None else _spread(later, layout, len(names))
    if not names:
        reason = ", ".join(f"{one.name!r} {one.left_out}" for one in layout)
        raise InputError("observations", "at least one column that can be used", reason)
    _check_distinct(names)
    whole = Observations(here, later, names, origins)
    return whole if fill is None else _filled(whole, fill, columns.episodes.codes)


def _check_distinct(names: tuple[str, ...]) -> None:
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            "observations",
            "columns whose names stay distinct when categories are spread out",
            f"{twice!r} twice",
            "Rename a column.",
        )


def _names(layout: tuple[ObservationColumn, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names: list[str] = []
    origins: list[str] = []
    for column in layout:
        labels = column.categories()
        if column.left_out is not None:
            continue
        if labels is not None:
            own = [f"{column.name}={labels[code]}" for code in column.order()]
        else:
            own = [*numbered(column.name, column.width)]
        names.extend(own)
        origins.extend([column.name] * len(own))
    return tuple(names), tuple(origins)


def _spread(source: Array, layout: tuple[ObservationColumn, ...], width: int) -> Array:
    """Return [R, width] numbers in which a category has a column per label."""
    target = room((len(source), width), source.dtype)
    for part in _blocks(target):
        begin = place = 0
        for column in layout:
            cells = source[part, begin : begin + column.width]
            begin += column.width
            if column.left_out is not None:
                continue
            if column.categories() is None:
                target[part, place : place + column.width] = cells
                place += column.width
                continue
            for code in column.order():
                target[part, place] = np.where(np.isnan(cells[:, 0]), np.nan, cells[:, 0] == code)
                place += 1
    return target


def _filled(whole: Observations, fill: Fill, episodes: Int64) -> Observations:
    tables = [whole.here] if whole.later is None else [whole.here, whole.later]
    means, missing = _means(tables)
    empty = np.isnan(means) & (missing > 0)
    if empty.any():
        name = whole.origins[int(np.flatnonzero(empty)[0])]
        raise InputError(f"column {name!r}", "filled in some rows at least", "an empty column")
    gaps = np.flatnonzero(missing)
    if not len(gaps):
        return whole
    sources = list(dict.fromkeys(whole.origins[place] for place in gaps))
    marks = [next(p for p in gaps if whole.origins[p] == name) for name in sources]
    names = (*whole.names, *(f"{name}={MISSING}" for name in sources))
    _check_distinct(names)
    filler = _Filler(means, np.asarray(marks), fill)
    here = filler.fill(whole.here, episodes, None)
    later = None if whole.later is None else filler.fill(whole.later, episodes, here)
    counts = [f"{name} {int(missing[mark]):,}" for name, mark in zip(sources, marks, strict=True)]
    more = f", and {len(counts) - SHOWN} more columns" if len(counts) > SHOWN else ""
    how = "the column's mean"
    if fill == "forward":
        how = f"the value before in the episode ({filler.without_past:,} without one: {how})"
    note = (
        f"missing observations became {how}: {', '.join(counts[:SHOWN])}{more}; columns like "
        f"{sources[0]}={MISSING} mark them"
    )
    return Observations(here, later, names, (*whole.origins, *sources), (note,))


def _means(tables: list[Array]) -> tuple[Float64, Int64]:
    """Return [D] means of the finite numbers (NaN: there are none), and counts of missing ones."""
    width = tables[0].shape[1]
    sums, counts, missing = np.zeros(width), np.zeros(width), np.zeros(width, dtype=np.int64)
    for table in tables:
        for part in _blocks(table):
            block = table[part].astype(np.float64)
            finite = np.isfinite(block)
            sums += np.where(finite, block, 0.0).sum(axis=0)
            counts += finite.sum(axis=0)
            missing += np.isnan(block).sum(axis=0)
    return np.divide(sums, counts, out=np.full(width, np.nan), where=counts > 0), missing


class _Filler:
    """Fills the missing numbers of [R, D] tables and adds the columns that mark them.

    Attributes:
        without_past: how many had nothing before them and took the mean.
    """

    def __init__(self, means: Float64, marks: Int64, fill: Fill) -> None:
        self.without_past = 0
        self._means, self._marks, self._fill = means, marks, fill

    def fill(self, source: Array, episodes: Int64, before: Array | None) -> Array:
        """Return [R, D + marks]; `before` holds the values before those of each row, if known."""
        width = source.shape[1]
        target = room((len(source), width + len(self._marks)), source.dtype)
        last = np.full(width, np.nan)
        for part in _blocks(target):
            block = source[part].astype(np.float64)
            missing = np.isnan(block)
            target[part, width:] = missing[:, self._marks]
            if self._fill == "forward" and before is not None:
                block = np.where(missing, before[part, :width], block)
            elif self._fill == "forward":
                starts = _starts(episodes, part)
                block = _carried(block, starts, last)
                last = block[-1]
                self.without_past += int(np.isnan(block[:, self._marks]).sum())
            target[part, :width] = np.where(np.isnan(block), self._means, block)
        return target


def _starts(episodes: Int64, part: slice) -> Bool:
    own = episodes[part]
    before = episodes[part.start - 1] if part.start else own[0] - 1
    return np.diff(own, prepend=before) != 0


def _carried(block: Float64, starts: Bool, last: Float64) -> Float64:
    """Return the rows with each NaN replaced by the number above it in its episode."""
    rows = np.arange(len(block))
    since = np.maximum.accumulate(np.where(starts, rows, -1))
    found = np.maximum.accumulate(np.where(np.isnan(block), -1, rows[:, None]), axis=0)
    known = (found >= 0) & (found >= since[:, None])
    columns = np.arange(block.shape[1])
    carried = np.where(known, block[np.maximum(found, 0), columns], np.nan)
    earlier = ~known & (since < 0)[:, None]
    return np.where(earlier, last, carried)


def _blocks(table: Array) -> Iterator[slice]:
    step = rows_at_once(table)
    for start in range(0, len(table), step):
        yield slice(start, min(start + step, len(table)))
