"""The rows of a table: their order, duplicates in time, and missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Bool, Int64
from ...errors import InputError
from ..mapping import TableMapping
from ..observations import rows_at_once
from .columns import Columns
from .filling import Observations
from .refusing import Refusal
from .table import Table


def ordered(
    columns: Columns, mapping: TableMapping, table: Table
) -> tuple[Int64 | None, tuple[str, ...]]:
    """Return the rows, episode after episode and by time, duplicates left out; and notes.

    None stands for all rows as they are. Episodes keep the order of their first rows.
    """
    notes: list[str] = []
    idle = _idle(columns) & (not mapping.each_row_ends)
    if idle.any():
        notes.append(f"{int(idle.sum()):,} row(s) of episodes without any action were left out")
    placeless = _placeless(columns, mapping, table, ~idle)
    rows = np.flatnonzero(~placeless & ~idle)
    if placeless.any():
        notes.append(f"{int(placeless.sum()):,} row(s) without episode or time were left out")
    codes = columns.episodes.codes[rows]
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


def _placeless(columns: Columns, mapping: TableMapping, table: Table, among: Bool) -> Bool:
    """Return [R] bool: rows, among some, that belong to no episode or no time."""
    lost = (columns.episodes.codes < 0) & among
    refusal = Refusal(columns, mapping, table, None)
    refusal.unless_dropped(lost, mapping.episode)
    if columns.times is not None:
        dates = columns.times.dtype.kind == "M"
        timeless = np.isnat(columns.times) if dates else ~np.isfinite(columns.times)
        timeless &= among
        refusal.unless_dropped(timeless, mapping.time)
        lost = lost | timeless
    return lost


def _idle(columns: Columns) -> Bool:
    """Return [R] bool: rows of episodes in which nothing is done, such as one of totals."""
    codes = columns.episodes.codes
    acted = np.bincount(codes[codes >= 0], weights=~columns.unacted[codes >= 0])
    idle: Bool = (codes >= 0) & (np.append(acted, 1.0)[codes] == 0)
    return idle


def _without_repeats(
    columns: Columns, rows: Int64, mapping: TableMapping, table: Table
) -> tuple[Int64, int]:
    """Return the rows with one row per episode and time, and how many were left out."""
    assert columns.times is not None
    codes, times = columns.episodes.codes[rows], columns.times[rows]
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
            "Is the episode the right column? If so, choose duplicates='first' or 'last' "
            "(--duplicates first), or add the column that tells them apart.",
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


def quality(
    columns: Columns,
    observations: Observations,
    rows: Int64 | None,
    mapping: TableMapping,
    table: Table,
) -> Quality:
    """Return which rows are whole; or raise, with the place of the first that is not."""
    refusal = Refusal(columns, mapping, table, rows)
    usable = _whole_rows(observations.here)
    if not usable.all():
        wrong = ~np.isfinite(observations.here[int(np.argmin(usable))])
        refusal.unless_dropped(~usable, observations.origins[int(np.argmax(wrong))])
    last = np.append(columns.episodes.codes[1:] != columns.episodes.codes[:-1], True)
    acted: Bool = ~(last & columns.unacted) | mapping.each_row_ends
    skipped: Bool = np.zeros(len(usable), dtype=bool)
    checks: list[tuple[Bool, str | None]] = [
        (columns.lacking, mapping.action),
        (~np.isfinite(columns.rewards), mapping.reward),
        (columns.terminations < 0, mapping.terminated or mapping.done),
        (columns.truncations < 0, mapping.truncated),
    ]
    if columns.propensities is not None:
        chances = columns.propensities
        checks.append((np.isnan(chances), mapping.propensity))
        wrong = acted & ((chances <= 0.0) | (chances > 1.0))
        refusal.always(wrong, mapping.propensity, "chances in (0, 1]", chances)
    if observations.later is not None:
        lost = ~_whole_rows(observations.later)
        checks.append((lost & (columns.terminations != 1), "next_observations"))
    if mapping.missing == "drop" and not mapping.each_row_ends:
        refusal.blank_rewards(np.isnan(columns.rewards) & acted, last)
    for wrong, column in checks:
        refusal.unless_dropped(wrong & acted, column)
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
