"""Actions of a Gymnasium space as rows of numbers, and back again.

The parts of a Tuple or Dict stand side by side, in the order of the space. A discrete part is
one column of whole numbers, as the space counts them, and so is each part of a MultiDiscrete.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ..arrays import Array, Bool, Float64
from .column_names import numbered

Part = tuple[str, gym.Space[Any]]
WHOLE = (gym.spaces.Discrete, gym.spaces.MultiDiscrete, gym.spaces.MultiBinary)


def parts_of(space: gym.Space[Any], name: str = "") -> list[Part] | None:
    """Return the named parts that are no Tuple or Dict; None where a part is no row of numbers."""
    if not isinstance(space, gym.spaces.Tuple | gym.spaces.Dict):
        return [(name, space)] if isinstance(space, (gym.spaces.Box, *WHOLE)) else None
    found: list[Part] = []
    for key, part in _named(space):
        inner = parts_of(part, f"{name}.{key}" if name else str(key))
        if inner is None:
            return None
        found += inner
    return found


def row_bounds(space: gym.Space[Any]) -> Float64 | None:
    """Return [2, Da], the least and the most of each part of an action; None for other spaces."""
    parts = parts_of(space)
    if not parts or isinstance(space, gym.spaces.Discrete):
        return None
    return np.concatenate([_bounds(part) for _, part in parts], axis=1)


def row_names(space: gym.Space[Any]) -> tuple[str, ...] | None:
    """Return the names of the columns of a Tuple's or a Dict's actions; None for other spaces."""
    parts = parts_of(space) if isinstance(space, gym.spaces.Tuple | gym.spaces.Dict) else None
    if not parts:
        return None
    return tuple(one for name, part in parts for one in numbered(name, _width(part)))


def whole_columns(space: gym.Space[Any]) -> Bool:
    """Return [Da] bool, the columns that hold whole numbers only."""
    parts = parts_of(space) or []
    return np.concatenate([np.full(_width(part), isinstance(part, WHOLE)) for _, part in parts])


def row_type(space: gym.Space[Any]) -> np.dtype[Any]:
    """Return the type of a row: that of its boxes, wide enough for its whole numbers."""
    parts = [part for _, part in parts_of(space) or []]
    return np.result_type(*{np.int32 if isinstance(p, WHOLE) else p.dtype for p in parts})


def side_by_side(space: gym.Space[Any], batch: Any) -> Array:
    """Return rows [T, Da] of T actions, batched part by part."""
    if isinstance(space, gym.spaces.Tuple | gym.spaces.Dict):
        parts = [side_by_side(part, batch[key]) for key, part in _named(space)]
        return np.concatenate(parts, axis=1)
    return np.asarray(batch).reshape(len(batch), -1)


def native_row(space: gym.Space[Any], row: Array) -> Any:
    """Return a row as the space has it."""
    if not isinstance(space, gym.spaces.Tuple | gym.spaces.Dict):
        if isinstance(space, gym.spaces.Discrete):
            return space.dtype.type(row[0]) if space.dtype is not None else int(row[0])
        return np.asarray(row, dtype=space.dtype).reshape(space.shape or ())
    found, first = {}, 0
    for key, part in _named(space):
        width = sum(_width(one) for _, one in parts_of(part) or [])
        found[key] = native_row(part, row[first : first + width])
        first += width
    return found if isinstance(space, gym.spaces.Dict) else tuple(found.values())


def _named(space: gym.Space[Any]) -> list[tuple[Any, gym.Space[Any]]]:
    if isinstance(space, gym.spaces.Dict):
        return list(space.spaces.items())
    assert isinstance(space, gym.spaces.Tuple)
    return list(enumerate(space.spaces))


def _width(part: gym.Space[Any]) -> int:
    return int(np.prod(part.shape or ()))


def _bounds(part: gym.Space[Any]) -> Float64:
    if isinstance(part, gym.spaces.Box):
        low, high = part.low, part.high
    elif isinstance(part, gym.spaces.Discrete):
        low, high = part.start, part.start + part.n - 1
    elif isinstance(part, gym.spaces.MultiDiscrete):
        low, high = part.start, part.start + part.nvec - 1
    else:
        low, high = np.zeros(part.shape or ()), np.ones(part.shape or ())
    return np.stack([low, high]).reshape(2, -1).astype(np.float64)
