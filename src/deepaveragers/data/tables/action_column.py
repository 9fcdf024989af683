"""A column of action labels as action numbers and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Int64
from ...errors import InputError

MAX_NUMBER = 256
"""Whole numbers below this are the actions' numbers; larger ones are codes, so labels."""
MAX_LABELS = 1000
"""More distinct labels than this are more likely a mistaken or continuous column."""


def number_actions(
    codes: Int64, values: Sequence[Any], names: Sequence[str] | None
) -> tuple[Int64, tuple[str, ...] | None, tuple[str, ...]]:
    """Return [R] action numbers, their names (None: named by number), and notes.

    Args:
        codes: [R] places in `values`, -1 where there is no action.
        values: the distinct labels: all whole numbers, or all text.
        names: the names that the caller gave, in the order of their numbers.
    """
    if not values:
        raise InputError("action", "a column with actions", "a column with none")
    if names is not None:
        return _taken(codes, [_place(value, names) for value in values]), tuple(names), ()
    if isinstance(values[0], int) and min(values) >= 0 and max(values) < MAX_NUMBER:
        unseen = sorted(set(range(max(values))) - set(values))
        notes = (f"action number(s) {_some(unseen)} never occur",) if unseen else ()
        return _taken(codes, values), None, notes
    if len(values) > MAX_LABELS:
        raise InputError(
            "action",
            f"a column with at most {MAX_LABELS} distinct actions",
            f"{len(values):,} distinct values",
            "If they are quantities, say continuous=True (--continuous).",
        )
    order, kind = _ordered(values)
    places = {value: place for place, value in enumerate(order)}
    label = tuple(str(value) for value in order)
    notes = (f"{kind} were numbered as actions in this order: {_some(label)}",)
    return _taken(codes, [places[value] for value in values]), label, notes


def _taken(codes: Int64, numbers: Sequence[int]) -> Int64:
    # The appended -1 is what the code -1, no action, picks.
    return np.asarray([*numbers, -1], dtype=np.int64)[codes]


def _place(value: Any, names: Sequence[str]) -> int:
    if str(value) in names:
        return list(names).index(str(value))
    if isinstance(value, int) and 0 <= value < len(names):
        return value
    raise InputError("action", f"among action_names {tuple(names)}", repr(value))


def _ordered(values: Sequence[Any]) -> tuple[list[Any], str]:
    try:
        return sorted(values, key=float), "numbers that are not 0..A-1"
    except ValueError:
        return sorted(values), "labels"


def _some(items: Sequence[Any]) -> str:
    shown = ", ".join(str(item) for item in items[:8])
    return shown if len(items) <= 8 else f"{shown}, ..."
