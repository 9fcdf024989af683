"""The rows of a table: their order, duplicates in time, and missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Bool, Int64
from ...errors import InputError
from ..mapping import TableMapping
from ..observations import rows_at_once
from .cells import MISSING_TIME
from .columns import Columns, Table


def ordered(
    columns: Columns, mapping: TableMapping, table: Table
) -> tuple[Int64 | None, tuple[str, ...]]:
    """Return the rows, episode after episode and by time, duplicates left out; and notes.

    None stands for all rows as they are. Episodes keep the order of their first rows.
    """
    notes: list[str] = []
    placeless = _placeless(columns, mapping, table)
    rows = np.flatnonzero(~placeless)
    if placeless.any():
        notes.append(f"{int(placeless.sum()):,} row(s) without episode or time were left out")
    codes = columns.episode_codes[rows]
    keys = (codes,) if columns.times is None else (columns.times[rows], codes)
    order = np.lexsort(keys)
    if not np.array_equal(order, np.arange(len(order))):
        notes.append("rows were put in order: episode after episode, each by its time")
    rows = rows[order]
    if columns.times is not None:
        rows, repeated = _without_repeats(columns, rows, mapping, table)
        if repeated:
            notes.append(f"{repeated:,} row(s) at the time of another row were left out")
    if not len(rows):
        raise InputError("source", "a table with at least one whole row", "none")
    untouched = len(rows) == len(columns.actions) and bool((np.diff(rows) > 0).all())
    return None if untouched else rows, tuple(notes)


def _placeless(columns: Columns, mapping: TableMapping, table: Table) -> Bool:
    """Return [R] bool: rows that belong to no episode or no time."""
    lost = columns.episode_codes < 0
    _refuse(lost, mapping, table, None, str(mapping.episode))
    if columns.times is not None:
        times = columns.times
        timeless = times == MISSING_TIME if times.dtype.kind == "i" else ~np.isfinite(times)
        _refuse(timeless, mapping, table, None, str(mapping.time))
        lost = lost | timeless
    return lost


def _without_repeats(
    columns: Columns, rows: Int64, mapping: TableMapping, table: Table
) -> tuple[Int64, int]:
    """Return the rows with one row per episode and time, and how many were left out."""
    assert columns.times is not None
    codes, times = columns.episode_codes[rows], columns.times[rows]
    repeats = np.flatnonzero((codes[1:] == codes[:-1]) & (times[1:] == times[:-1])) + 1
    if not len(repeats):
        return rows, 0
    differing = ~_equal_rows(columns, rows[repeats], rows[repeats - 1])
    if mapping.duplicates == "error" and differing.any():
        place = repeats[np.flatnonzero(differing)[0]]
        first, second = (table.place(int(rows[place - 1])), table.place(int(rows[place])))
        raise InputError(
            f"column {mapping.time!r}",
            "different in every row of an episode",
            f"the same time at {first} and {second}, and {int(differing.sum()) - 1} more such",
            "Choose duplicates='first' or 'last' (--duplicates first), or add the column that "
            "tells them apart.",
        )
    drop = repeats - 1 if mapping.duplicates == "last" else repeats
    kept = np.ones(len(rows), dtype=bool)
    kept[drop] = False
    return rows[kept], len(drop)


def _equal_rows(columns: Columns, left: Int64, right: Int64) -> Bool:
    same = np.ones(len(left), dtype=bool)
    names = ("observations", "next_observations", "actions", "rewards")
    for name in (*names, "terminations", "truncations"):
        values: Array | None = getattr(columns, name)
        if values is not None:
            one, other = values[left], values[right]
            equal = (one == other) | ((one != one) & (other != other))
            same &= equal.reshape(len(left), -1).all(axis=1)
    return same


@dataclass(frozen=True, eq=False)
class Quality:
    """Which rows can be used for what.

    Attributes:
        usable: [R] bool, the observation is whole.
        acted: [R] bool, false for a row that holds only a final observation.
        skipped: [R] bool, the observation is good and the rest of the step is not.
        notes: what was found.
    """

    usable: Bool
    acted: Bool
    skipped: Bool
    notes: tuple[str, ...] = ()


def quality(columns: Columns, rows: Int64 | None, mapping: TableMapping, table: Table) -> Quality:
    """Return which rows are whole; or raise, with the place of the first that is not."""
    usable = _whole_rows(columns.observations)
    if not usable.all():
        # With list columns one name stands for several numbers.
        first = columns.observations[int(np.argmin(usable))]
        single = len(columns.observation_names) == len(first)
        name = columns.observation_names[int(np.argmin(np.isfinite(first))) if single else 0]
        _refuse(~usable, mapping, table, rows, name)
    last = np.append(columns.episode_codes[1:] != columns.episode_codes[:-1], True)
    acted: Bool = ~(last & (columns.actions < 0))
    skipped: Bool = np.zeros(len(usable), dtype=bool)
    ending = mapping.terminated or mapping.done
    checks: list[tuple[Bool, str | None]] = [
        (columns.actions < 0, mapping.action),
        (~np.isfinite(columns.rewards), mapping.reward),
        (columns.terminations < 0, ending),
        (columns.truncations < 0, mapping.truncated),
    ]
    if columns.next_observations is not None:
        lost = ~_whole_rows(columns.next_observations)
        checks.append((lost & (columns.terminations != 1), "next_observations"))
    for wrong, column in checks:
        _refuse(wrong & acted, mapping, table, rows, str(column))
        skipped = skipped | (wrong & acted)
    broken = int((~usable | skipped).sum())
    notes = (f"{broken:,} row(s) with missing values were left out",) if broken else ()
    return Quality(usable, acted, skipped, notes)


def _whole_rows(numbers: Array) -> Bool:
    whole = np.empty(len(numbers), dtype=bool)
    step = rows_at_once(numbers)
    for start in range(0, len(numbers), step):
        part = slice(start, start + step)
        whole[part] = np.isfinite(numbers[part]).all(axis=1)
    return whole


def _refuse(
    wrong: Bool, mapping: TableMapping, table: Table, rows: Int64 | None, name: str
) -> None:
    if mapping.missing == "drop" or not wrong.any():
        return
    first = int(np.flatnonzero(wrong)[0])
    place = table.place(first if rows is None else int(rows[first]))
    more = int(wrong.sum()) - 1
    raise InputError(
        f"column {name!r}",
        "filled with finite values",
        f"a missing or infinite one at {place}" + (f", and {more:,} more" if more else ""),
        "Repair them, or leave those steps out with missing='drop' (--missing drop).",
    )
