"""Columns of one value per transition: numbers, flags, times, chances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import unmasked
from ..arrays import Array, Bool, Float64
from ..errors import InputError

DATES = np.dtype("datetime64[us]")
"""Dates are kept to the microsecond, without a time zone."""


def as_column(values: Any, name: str, size: int, dtype: type) -> Array:
    """Return [N] numbers of the type; fractions are no whole numbers."""
    values = unmasked(name, values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(name, "one number per transition", "rows of unequal shape") from error
    if array.dtype.kind not in "fiub":
        raise InputError(name, "one number per transition", f"values of type {array.dtype}")
    if array.shape != (size,):
        raise InputError(
            name, f"of shape ({size},), one entry per transition", f"shape {array.shape}"
        )
    whole = dtype is not np.int64 or array.dtype == np.int64
    if not whole and not np.array_equal(array, array.astype(np.int64)):
        raise InputError(name, "whole numbers", "fractions")
    return array.astype(dtype)


def as_flags(values: Any, name: str, size: int) -> Bool:
    """Return [N] bool from truth values or 1 and 0."""
    if isinstance(values, np.ndarray) and values.dtype == np.bool_:
        return as_column(values, name, size, np.bool_)
    array = as_column(values, name, size, np.float64)
    if not np.isin(array, (0.0, 1.0)).all():
        raise InputError(name, "flags: true or false, 1 or 0", "other numbers")
    return array.astype(bool)


def as_times(values: Any, size: int) -> Array | None:
    """Return [N] int64, float64 or datetime64[us]; NaN and NaT are unknown times."""
    if values is None:
        return None
    values = unmasked("times", values)
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(DATES)
    except (ValueError, TypeError):
        raise InputError("times", "numbers or dates", f"values like {values!r:.60}") from None
    if array.dtype.kind not in "fiuM":
        raise InputError("times", "numbers or dates", f"values of type {array.dtype}")
    if array.shape != (size,):
        raise InputError("times", f"of shape ({size},), one per transition", f"shape {array.shape}")
    if array.dtype.kind == "M":
        return array.astype(DATES)
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def as_propensities(values: Any, size: int) -> Float64 | None:
    """Return [N] float64 in (0, 1]; NaN is unknown."""
    if values is None:
        return None
    values = unmasked("propensities", values)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        raise InputError("propensities", "numbers", f"values like {values!r:.60}") from None
    if array.shape != (size,):
        raise InputError(
            "propensities", f"of shape ({size},), one per transition", f"shape {array.shape}"
        )
    wrong = np.flatnonzero(~(np.isnan(array) | ((array > 0.0) & (array <= 1.0))))
    if len(wrong):
        raise InputError(
            "propensities",
            "chances of the logged actions, in (0, 1]",
            f"{array[wrong[0]]:g} in row {wrong[0]}, and {len(wrong) - 1:,} more such",
        )
    return array


def joined_column(old: Array | None, new: Array | None, sizes: tuple[int, int]) -> Array | None:
    """Return [N + M] of two columns, one after the other; where one has none, unknown."""
    if old is None and new is None:
        return None
    parts = [
        column if column is not None else _unknown(size, old if new is None else new)
        for column, size in zip((old, new), sizes, strict=True)
    ]
    if len({part.dtype.kind == "M" for part in parts}) > 1:
        raise InputError("new", "transitions with times like the target's", "dates and numbers")
    return np.concatenate(parts)


def _unknown(size: int, like: Array | None) -> Array:
    dates = like is not None and like.dtype.kind == "M"
    return np.full(size, "NaT", dtype=DATES) if dates else np.full(size, np.nan)
