"""Actions that are rows of numbers: continuous ones, or several discrete parts.

A row is kept as it was logged; what it is worth is told by the transitions that took it
(`neighbors.candidates`), so neither a metric nor a grid over actions is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import check_text, several, shown, unmasked
from ..arrays import Array, Float64
from ..errors import InputError

MOST_COLUMNS = 10_000
"""More columns than this are more likely a mistaken array than an action."""


def is_table_of_actions(values: Any) -> bool:
    """Whether actions were given as rows of numbers."""
    return np.ndim(values) == 2


def as_action_vectors(values: Any, names: Any, size: int) -> tuple[Array, tuple[str, ...]]:
    """Return [N, Da] float32, float64 or int32, and the names of the columns."""
    columns = getattr(values, "columns", None)
    try:
        array = np.asarray(unmasked("actions", values))
    except ValueError as error:
        raise InputError("actions", "rows of equal length", "rows of unequal length") from error
    if array.ndim != 2 or len(array) != size or not 0 < array.shape[1] <= MOST_COLUMNS:
        allowed = f"of shape ({size},), or ({size}, Da) for actions of Da numbers"
        raise InputError("actions", allowed, f"shape {array.shape}")
    if array.dtype.kind not in "fiub":
        raise InputError("actions", "rows of numbers", f"values of type {array.dtype}")
    if array.dtype.kind == "f":
        kept = array.astype(np.float32 if array.dtype.itemsize <= 4 else np.float64)
        if not np.isfinite(kept).all():
            where = np.argwhere(~np.isfinite(kept))[0]
            received = f"{kept[tuple(where)]} in row {where[0]}, column {where[1]}"
            raise InputError("actions", "finite numbers", received, "Remove such rows.")
    else:
        limits = np.iinfo(np.int32)
        if len(array) and (array.max() > limits.max or array.min() < limits.min):
            raise InputError("actions", "whole numbers within 32 bits", "larger ones")
        kept = array.astype(np.int32)
    given = columns if names is None and columns is not None else names
    return np.ascontiguousarray(kept), _column_names(given, kept.shape[1])


def _column_names(names: Any, width: int) -> tuple[str, ...]:
    if names is None:
        return tuple(map(str, range(width)))
    given = tuple(map(str, several("action_names", names, "a sequence of names")))
    if len(given) != width or len(set(given)) != width:
        allowed = f"{width} distinct names, one per column of the actions"
        raise InputError("action_names", allowed, shown(given))
    check_text("action_names", given)
    return given


def as_action_bounds(bounds: Any, actions: Array, names: Sequence[str]) -> Float64 | None:
    """Return [2, Da] float64, the least and the most that each column may be; None is no limit."""
    if bounds is None:
        return None
    if actions.ndim != 2:
        raise InputError("action_bounds", "None for discrete actions", "bounds")
    width = actions.shape[1]
    try:
        given = np.array(unmasked("action_bounds", bounds), dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (2, width) or not (given[0] <= given[1]).all():
        allowed = f"two rows of {width}: the least and the most of each column of the actions"
        raise InputError("action_bounds", allowed, shown(bounds))
    low, high = rounded_bounds(given, actions.dtype)
    outside = (actions < low) | (actions > high)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        more = int(outside.any(axis=1).sum()) - 1
        raise InputError(
            "actions",
            f"within action_bounds, {given[0, column]:g} to {given[1, column]:g} for column "
            f"{names[column]!r}",
            f"{actions[row, column]:g} in row {row}"
            + (f", and {more:,} more such row{'s' * (more > 1)}" if more else ""),
            "Clip the actions, or give wider bounds.",
        )
    return given


def rounded_bounds(bounds: Float64, dtype: Any) -> tuple[Array, Array]:
    """Return both bounds as actions of a type would be stored: 0.1 in float32 lies within 0.1."""
    kind = dtype if np.issubdtype(dtype, np.floating) else np.float64
    return bounds[0].astype(kind), bounds[1].astype(kind)


def action_figures(actions: Array, count: int) -> dict[str, Any]:
    """Return how often each action was taken; of rows, the range of every column."""
    if actions.ndim == 1:
        return {"action_counts": np.bincount(actions, minlength=count).tolist()}
    low, high = actions.min(axis=0), actions.max(axis=0)
    return {"action_range": {"least": low.tolist(), "most": high.tolist()}}


def joined_rows(
    old: tuple[Array, tuple[str, ...], Float64 | None],
    new: tuple[Array, tuple[str, ...], Float64 | None],
) -> tuple[Array, Float64 | None]:
    """Return the rows of two datasets below each other, and their bounds.

    Args:
        old, new: actions, names of columns, bounds. Columns are matched by name; where one of
            the two has no bounds, both have those of the other.
    """
    actions, names, bounds = old
    others, other_names, other_bounds = new
    if actions.ndim != others.ndim or set(names) != set(other_names):
        raise InputError(
            "new",
            f"transitions with actions of the same kind: {_in_words(actions, names)}",
            _in_words(others, other_names),
        )
    order = [other_names.index(name) for name in names]
    if other_bounds is not None:
        other_bounds = other_bounds[:, order]
        if bounds is not None and not np.array_equal(bounds, other_bounds):
            raise InputError("new", f"transitions with action_bounds {bounds.tolist()}", "others")
    kept = bounds if bounds is not None else other_bounds
    rows = np.concatenate([actions, others[:, order]])
    return rows, as_action_bounds(kept, rows, names)


def _in_words(actions: Array, names: Sequence[str]) -> str:
    if actions.ndim == 1:
        return "discrete ones"
    return f"rows of {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"


def kind_of_actions(actions: Array, count: int) -> str:
    """Return what kind of actions there are, in words."""
    if actions.ndim == 1:
        return f"{count} actions"
    kind = "continuous" if actions.dtype.kind == "f" else "combined discrete"
    return f"{kind} actions of {count} number{'s' if count > 1 else ''}"


def text_of_action(names: Sequence[str], action: Any) -> str:
    """Return an action in words: its name, or its numbers by the names of columns."""
    if np.ndim(action) == 0:
        return names[int(action)]
    return ", ".join(f"{name}={value:.4g}" for name, value in zip(names, action.tolist()))
