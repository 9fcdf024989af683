"""Columns that tell where episodes end: flags, or texts such as died and discharged."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arguments import listed_names
from ...arrays import Array, Bool, Int64
from ...errors import InputError
from .cells import Labels, flag_of
from .notation import NO_NUMBER

SHOWN = 6


def end_flags(
    column: str,
    codes: Int64,
    labels: Labels,
    terminal_values: tuple[str, ...] | None,
    *,
    rewarding: bool = False,
) -> tuple[Array, bool, tuple[str, ...]]:
    """Return [R] int8 flags (-1: missing), whether they came from texts, and notes.

    Args:
        column: its name.
        codes: [R] places among the labels, -1 where the cell is blank.
        labels: what was found in the column.
        terminal_values: the texts that are ends; None: every text is, or the flags say.
        rewarding: whether its numbers are the rewards: if some are blank, the others are ends.
    """
    found = labels.distinct()
    if rewarding and terminal_values is None and (codes < 0).any():
        note = f"every reward in column {column!r} is an end; a blank is none"
        return _taken(codes, [1] * len(found), blank=0), True, (note,)
    if terminal_values is not None:
        ends = _chosen(column, found, terminal_values)
        return _taken(codes, ends, blank=0), True, ()
    flags = [flag_of(label) for label in found]
    if None not in flags:
        if flags and 0 not in flags and (codes < 0).any():
            note = f"column {column!r}: blank cells are no ends, for only ends are marked"
            return _taken(codes, flags, blank=0), False, (note,)
        return _taken(codes, flags, blank=-1), False, ()
    _check_outcomes(found, labels, flags)
    shown = listed_names([str(label) for label in found], SHOWN)
    note = f"every text in column {column!r} is an end: {shown}; a blank is none"
    return _taken(codes, [1] * len(found), blank=0), True, (note,)


def _chosen(column: str, found: list[Any], terminal_values: tuple[str, ...]) -> list[int]:
    wanted = {value.casefold() for value in terminal_values}
    present = {str(label).casefold() for label in found}
    for value in terminal_values:
        if value.casefold() not in present:
            shown = listed_names([str(label) for label in found], SHOWN) or "none"
            raise InputError(
                "terminal_values", f"values of column {column!r}: {shown}", repr(value)
            )
    return [int(str(label).casefold() in wanted) for label in found]


def _check_outcomes(found: list[Any], labels: Labels, flags: list[int | None]) -> None:
    """Raise an error where it is not clear which of the texts are ends."""
    texts = [label for label, flag in zip(found, flags, strict=True) if flag is None]
    for code, (label, flag) in enumerate(zip(found, flags, strict=True)):
        if not isinstance(label, str) and flag is None:
            allowed = "a flag: 1 or 0, true or false; or text that names an end"
            raise InputError(labels.place(code), allowed, repr(label))
    for code, (label, flag) in enumerate(zip(found, flags, strict=True)):
        if flag is not None or str(label).casefold() == NO_NUMBER:
            others = ",".join(str(one) for one in texts if str(one).casefold() != NO_NUMBER)
            raise InputError(
                labels.place(code),
                "all flags, or all texts that are ends",
                " beside ".join(repr(one) for one in (label, *texts[:1])),
                f"Say which are ends: terminal_values (--terminal-values '{others[:80]}').",
            )


def _taken(codes: Int64, flags: list[Any], *, blank: int) -> Array:
    return np.asarray([*flags, blank], dtype=np.int8)[codes]


def at_last_rows(ended: Bool, episodes: Int64) -> Bool | None:
    """Return the ends at the last rows of episodes where a text stands in every row of one.

    A column that says on every row how its episode ended, later, is no column of ends. None
    where some row of an episode of several rows is not marked, or there is no such episode.

    Args:
        ended: [R] bool, a text stands there; rows are episode after episode.
        episodes: [R] int64.
    """
    last = np.append(episodes[1:] != episodes[:-1], True)
    number = np.cumsum(np.append(True, last[:-1])) - 1
    lengths = np.bincount(number)
    marked = np.bincount(number, weights=ended)
    several = (lengths > 1) & (marked > 0)
    if not several.any() or not (marked[several] == lengths[several]).all():
        return None
    return ended & last
