"""Observations as arrays: one row per observation, whatever the environment hands out.

Vectors become float32 or float64 columns, pictures stay uint8 in their own shape, and
dictionaries or tuples of arrays are laid side by side, in the order in which Gymnasium's Dict
space would flatten them: sorted keys, but those of an OrderedDict as they are.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import unmasked
from ..arrays import Array
from ..errors import InputError
from .frame_stacks import FrameStacks
from .scratch import converted

BLOCK_BYTES = 8 << 20
REPAIR = "Drop or repair those transitions first."


def as_observations(
    values: Any,
    name: str = "observations",
    remedy: str = REPAIR,
    columns: Sequence[str] | None = None,
) -> Array:
    """Return [N, ...] observations as a float or uint8 array with finite entries.

    Stacks of frames stay what they are: they read like an array. The names of the columns
    are for messages.
    """
    if isinstance(values, FrameStacks):
        return values  # type: ignore[return-value]
    if isinstance(values, Mapping | tuple):
        values = _side_by_side(values, name)
    array = as_numbers(values, name)
    if array.ndim == 0:
        raise InputError(name, "an array with one row per transition", "a single number")
    if array.size == 0:
        raise InputError(name, "at least one transition of one number", f"shape {array.shape}")
    if array.ndim == 1:
        array = array[:, None]
    if not is_image(array):
        array = array.reshape(len(array), -1)
        if array.dtype not in (np.float32, np.float64):
            array = converted(array, np.float64)
        check_finite(array, name, remedy, columns)
    return np.ascontiguousarray(array)


def is_image(observations: Array) -> bool:
    """Whether a batch [N, ...] holds pictures (uint8, two or more dimensions each)."""
    return observations.dtype == np.uint8 and observations.ndim >= 3


def rows_at_once(observations: Array) -> int:
    """Return how many observations are looked at together, to keep memory small."""
    size = math.prod(observations.shape[1:]) * observations.dtype.itemsize
    return max(1, min(65_536, BLOCK_BYTES // max(1, size)))


def check_finite(
    array: Array, name: str, remedy: str = REPAIR, columns: Sequence[str] | None = None
) -> None:
    """Raise an error that names the first place of a NaN or an infinity."""
    if array.dtype.kind != "f":
        return
    count, step, where = 0, rows_at_once(array), ""
    for start in range(0, len(array), step):
        finite = np.isfinite(array[start : start + step])
        if finite.all():
            continue
        if not count:
            row, *column = (int(i) for i in np.argwhere(~finite)[0])
            where = f"row {start + row}" + (f", column {column[0]}" if column else "")
            if column and columns is not None and column[0] < len(columns):
                where = f"row {start + row}, column {columns[column[0]]!r}"
        count += finite.size - int(np.count_nonzero(finite))
    if count:
        raise InputError(
            name,
            "finite numbers",
            f"{count} NaN or infinite value(s), the first at {where}",
            remedy,
        )


def as_numbers(values: Any, name: str) -> Array:
    """Return an array of numbers, of any shape."""
    values = unmasked(name, values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(
            name, "rows of equal shape", "rows of unequal shape", "Pad or flatten them first."
        ) from error
    if array.dtype.kind not in "fiub":
        raise InputError(name, "numbers", f"values of type {array.dtype}")
    return array


def ordered_keys(parts: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of a dictionary of arrays, in the order of their columns."""
    if isinstance(parts, OrderedDict):
        return list(parts)
    try:
        return sorted(parts)
    except TypeError:
        return list(parts)


def _side_by_side(parts: Mapping[str, Any] | tuple[Any, ...], name: str) -> Array:
    if isinstance(parts, Mapping):
        leaves = [(f"{name}[{key!r}]", parts[key]) for key in ordered_keys(parts)]
    else:
        leaves = [(f"{name}[{place}]", part) for place, part in enumerate(parts)]
    if not leaves:
        raise InputError(name, "at least one array", "an empty collection")
    arrays = [
        _side_by_side(leaf, label)
        if isinstance(leaf, Mapping | tuple)
        else _rows_of(as_numbers(leaf, label), label)
        for label, leaf in leaves
    ]
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise InputError(name, "parts of equal length", f"lengths {sorted(lengths)}")
    return np.concatenate(arrays, axis=1)


def _rows_of(array: Array, name: str) -> Array:
    """Return the numbers of a part, a row per observation."""
    if array.ndim == 0:
        raise InputError(name, "an array with one row per observation", "a single number")
    width = math.prod(array.shape[1:])
    return array.reshape(len(array), width)
