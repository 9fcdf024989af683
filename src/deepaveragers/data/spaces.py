"""Batches of a Gymnasium space's values as plain arrays, laid out as Gymnasium flattens them."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ..arrays import Array, Float64, Int64
from ..errors import InputError
from .action_parts import row_bounds, side_by_side
from .action_vectors import rounded_bounds
from .column_names import numbered

MAX_COMBINATIONS = 10_000


def observation_batch(space: gym.Space[Any], batch: Any) -> Array:
    """Return [T, ...] for T observations of a space, as `collect` stores them.

    Boxes stay as they are; everything else is flattened to float32 columns.
    """
    if isinstance(space, gym.spaces.Box):
        return np.asarray(batch)
    if not space.is_np_flattenable:
        raise InputError("observations", "of a space that can be flattened", str(space))
    return _flattened(space, batch).astype(np.float32)


def _flattened(space: gym.Space[Any], batch: Any) -> Array:
    """Return [T, D], equal to `gymnasium.spaces.utils.flatten` of every row."""
    if isinstance(space, gym.spaces.Dict):
        parts = [_flattened(part, batch[key]) for key, part in space.spaces.items()]
        return np.concatenate(parts, axis=1)
    if isinstance(space, gym.spaces.Tuple):
        parts = [_flattened(part, batch[place]) for place, part in enumerate(space.spaces)]
        return np.concatenate(parts, axis=1)
    if isinstance(space, gym.spaces.Discrete):
        return _one_hot(np.asarray(batch).reshape(-1) - int(space.start), int(space.n))
    if isinstance(space, gym.spaces.MultiDiscrete):
        values = np.asarray(batch) - space.start
        values = values.reshape(len(values), -1)
        counts = space.nvec.reshape(-1)
        return np.concatenate(
            [_one_hot(values[:, place], int(n)) for place, n in enumerate(counts)], axis=1
        )
    if isinstance(space, gym.spaces.Box | gym.spaces.MultiBinary):
        array = np.asarray(batch)
        return array.reshape(len(array), -1)
    return np.stack([np.asarray(gym.spaces.utils.flatten(space, value)) for value in batch])


def _one_hot(values: Array, count: int) -> Array:
    if len(values) and (values.min() < 0 or values.max() >= count):
        raise InputError("observations", f"inside their space of {count} values", values.max())
    return np.asarray(values[:, None] == np.arange(count)[None, :])


def observation_space_names(space: gym.Space[Any]) -> tuple[str, ...] | None:
    """Return the names of the columns of a dictionary's observations; None for other spaces."""
    if not isinstance(space, gym.spaces.Dict):
        return None
    try:
        return tuple(name for key, part in space.spaces.items() for name in _names(str(key), part))
    except InputError:
        return None


def _names(name: str, space: gym.Space[Any]) -> tuple[str, ...]:
    """Return the names of a part's columns, in the order in which Gymnasium flattens it."""
    parts: list[tuple[str, gym.Space[Any]]] = []
    if isinstance(space, gym.spaces.Dict):
        parts = [(f"{name}.{key}", part) for key, part in space.spaces.items()]
    elif isinstance(space, gym.spaces.Tuple):
        parts = [(f"{name}[{place}]", part) for place, part in enumerate(space.spaces)]
    elif isinstance(space, gym.spaces.Discrete):
        start = int(space.start)
        return tuple(f"{name}={value}" for value in range(start, start + int(space.n)))
    elif isinstance(space, gym.spaces.MultiDiscrete):
        counts, starts = space.nvec.reshape(-1).tolist(), space.start.reshape(-1).tolist()
        places = numbered(name, len(counts))
        return tuple(
            f"{place}={start + value}"
            for place, count, start in zip(places, counts, starts, strict=True)
            for value in range(count)
        )
    elif isinstance(space, gym.spaces.Box | gym.spaces.MultiBinary):
        return numbered(name, int(np.prod(space.shape)))
    else:
        raise InputError("observations", "of a space whose parts have names", str(space))
    return tuple(one for label, part in parts for one in _names(label, part))


def action_batch(space: gym.Space[Any], batch: Any) -> Array:
    """Return [T] action numbers from 0 of a discrete space, else rows [T, Da]."""
    if isinstance(space, gym.spaces.Discrete):
        return np.asarray(batch).reshape(-1) - int(space.start)
    sizes = combination_sizes(space)
    if sizes is None:
        return side_by_side(space, batch)
    start = space.start.reshape(-1) if isinstance(space, gym.spaces.MultiDiscrete) else 0
    digits = np.asarray(batch).reshape(len(batch), -1) - start
    return np.asarray(np.ravel_multi_index(tuple(digits.astype(np.int64).T), tuple(sizes)))


def action_space_names(space: gym.Space[Any]) -> tuple[str, ...] | None:
    """Return the names of all actions of a discrete space; None where it is not discrete."""
    if isinstance(space, gym.spaces.Discrete):
        return tuple(str(int(space.start) + number) for number in range(int(space.n)))
    sizes = combination_sizes(space)
    if sizes is None:
        return None
    start = space.start.reshape(-1) if isinstance(space, gym.spaces.MultiDiscrete) else 0
    rows = np.stack(np.unravel_index(np.arange(int(np.prod(sizes))), tuple(sizes)), axis=1) + start
    return tuple(",".join(map(str, row)) for row in rows.tolist())


def space_bounds(space: gym.Space[Any], rows: Array) -> tuple[Float64 | None, tuple[str, ...]]:
    """Return the bounds [2, Da] of actions that are rows, wide enough for all; and notes."""
    bounds = row_bounds(space)
    if bounds is None or rows.ndim != 2 or not np.isfinite(bounds).any():
        return None, ()
    low, high = rounded_bounds(bounds, rows.dtype)
    outside = int(((rows < low) | (rows > high)).any(axis=1).sum())
    if not outside:
        return bounds, ()
    wider = np.stack([np.fmin(bounds[0], rows.min(axis=0)), np.fmax(bounds[1], rows.max(axis=0))])
    note = f"{outside:,} action(s) lie outside the space's own bounds, which were widened for them"
    return wider, (note,)


def combination_sizes(space: gym.Space[Any]) -> Int64 | None:
    """Return how many values each part of a combined discrete action has; None for many."""
    if isinstance(space, gym.spaces.MultiDiscrete):
        sizes = space.nvec.reshape(-1)
    elif isinstance(space, gym.spaces.MultiBinary):
        sizes = np.full(int(np.prod(space.shape)), 2)
    else:
        return None
    return sizes if float(np.prod(sizes.astype(float))) <= MAX_COMBINATIONS else None
