"""The record that everything starts from: a static dataset of transitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arguments import known_fields
from ..arrays import Array, Bool, Float64, Int32, Int64, frozen, rows_at
from ..errors import InputError
from .actions import as_actions
from .frame_stacks import stacks_or_none
from .observations import as_observations, check_finite, rows_at_once

MAX_TRANSITIONS = 2**31 - 1
"""Neighbour indices are int32."""
COLUMNS = ("actions", "rewards", "terminations", "truncations", "episode_ids")
"""One number or flag per transition."""


@known_fields
@dataclass(frozen=True, eq=False, kw_only=True)
class Transitions:
    """Logged transitions (s, a, r, s'), in the order in which they were experienced.

    Lists, arrays, and dictionaries or tuples of arrays (as observations) are accepted and
    checked; the fields then hold read-only arrays.

    Attributes:
        observations: [N, ...] s, float32/float64 columns, or uint8 pictures; or
            `FrameStacks`, pictures made of frames that are stored once.
        actions: [N] int32 in 0..A-1. Text labels are accepted and become `action_names`.
        rewards: [N] float64.
        next_observations: [N, ...] s', the true one also at the end of an episode.
        terminations: [N] bool, the episode ended here and nothing more can be earned.
        truncations: [N] bool, the episode was cut off here (a time limit); s' is an
            ordinary state. None means that nothing was cut.
        episode_ids: [N] int64, equal within an episode. None derives them from the flags
            and from places where s' differs from the next row's s.
        action_names: A names, the place is the action's number. None names them "0".."A-1".
    """

    observations: Array
    actions: Int32
    rewards: Float64
    next_observations: Array
    terminations: Bool
    truncations: Bool = None  # type: ignore[assignment]
    episode_ids: Int64 = None  # type: ignore[assignment]
    action_names: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        observations = as_observations(self.observations)
        size = len(observations)
        if size > MAX_TRANSITIONS:
            raise InputError("observations", f"at most {MAX_TRANSITIONS:,} transitions", size)
        next_observations = as_observations(self.next_observations, "next_observations")
        if next_observations.shape != observations.shape:
            raise InputError(
                "next_observations",
                f"of the same shape as observations, {observations.shape}",
                f"shape {next_observations.shape}",
            )
        _check_shared_frames(observations, next_observations)
        if next_observations.dtype != observations.dtype:
            common = np.result_type(observations, next_observations)
            observations = observations.astype(common)
            next_observations = next_observations.astype(common)
        actions, names = as_actions(self.actions, self.action_names, size)
        rewards = _column(self.rewards, "rewards", size, np.float64)
        check_finite(rewards, "rewards")
        terminations = _flags(self.terminations, "terminations", size)
        truncations = (
            np.zeros(size, dtype=bool)
            if self.truncations is None
            else _flags(self.truncations, "truncations", size)
        )
        episode_ids = (
            _derive_episodes(observations, next_observations, terminations | truncations)
            if self.episode_ids is None
            else _column(self.episode_ids, "episode_ids", size, np.int64)
        )
        self._set(
            observations=observations,
            actions=actions,
            rewards=rewards,
            next_observations=next_observations,
            terminations=terminations,
            truncations=truncations,
            episode_ids=episode_ids,
            action_names=names,
        )

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            kept = frozen(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, name, kept)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.observation_shape))
        return (
            f"Transitions({len(self):,} transitions, {self.num_episodes:,} episodes, "
            f"observations {shape} {self.observations.dtype}, {self.num_actions} actions)"
        )

    @property
    def num_actions(self) -> int:
        """Number of actions (A)."""
        return len(self.action_names)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of one observation."""
        return tuple(int(length) for length in self.observations.shape[1:])

    @property
    def num_episodes(self) -> int:
        """Number of runs of equal episode ids."""
        return len(self._episode_bounds()) - 1

    def _episode_bounds(self) -> Int64:
        changes = np.flatnonzero(np.diff(self.episode_ids)) + 1
        return np.concatenate(([0], changes, [len(self)]))

    def episodes(self) -> Iterator[slice]:
        """Yield the slice of rows of each episode, in order."""
        bounds = self._episode_bounds()
        for start, stop in pairwise(bounds):
            yield slice(int(start), int(stop))

    def episode_returns(self) -> Float64:
        """Return [episodes] float64, the undiscounted return of each episode in the data."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.add.reduceat(self.rewards, self._episode_bounds()[:-1])

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean_return = float(self.episode_returns().mean())
        return {
            "transitions": len(self),
            "episodes": self.num_episodes,
            "terminations": int(self.terminations.sum()),
            "truncations": int(self.truncations.sum()),
            "observation_shape": list(self.observation_shape),
            "observation_dtype": str(self.observations.dtype),
            "action_names": list(self.action_names),
            "action_counts": np.bincount(self.actions, minlength=self.num_actions).tolist(),
            "mean_return": mean_return,
        }

    def subset(self, rows: slice | Sequence[int] | Array) -> Transitions:
        """Return the given rows as a dataset of their own; action names are kept."""
        taken = rows if isinstance(rows, slice) else _checked_rows(rows, len(self))
        columns = {name: rows_at(getattr(self, name), taken) for name in COLUMNS}
        return of_checked(
            observations=_rows(self.observations, taken),
            next_observations=_rows(self.next_observations, taken),
            action_names=self.action_names,
            **columns,
        )


def of_checked(**fields: Any) -> Transitions:
    """Return a dataset of columns that come from checked ones, without checking them again."""
    if not len(fields["actions"]):
        return Transitions(**fields)
    data = object.__new__(Transitions)
    data._set(**fields)
    return data


def _checked_rows(rows: Any, size: int) -> Array:
    """Return a mask of so many flags, or row numbers among so many; negative ones from the end."""
    taken = np.asarray(rows, dtype=None if np.size(rows) else np.int64)
    if taken.ndim != 1 or taken.dtype.kind not in "iub":
        received = f"shape {taken.shape} of {taken.dtype}"
        raise InputError("rows", "a slice, a mask, or row numbers", received)
    if taken.dtype.kind == "b":
        if len(taken) != size:
            raise InputError("rows", f"a mask of {size:,} flags, one per row", f"{len(taken):,}")
    elif len(taken) and (taken.max() >= size or taken.min() < -size):
        number = taken.max() if taken.max() >= size else taken.min()
        raise InputError("rows", f"row numbers from 0 to {size - 1}", f"{number}")
    return taken


def _rows(observations: Array, rows: slice | Array) -> Any:
    stacks = stacks_or_none(observations)
    return rows_at(observations, rows) if stacks is None else stacks.at(rows)


def _check_shared_frames(observations: Any, next_observations: Any) -> None:
    here, later = stacks_or_none(observations), stacks_or_none(next_observations)
    if (here or later) and not (here and later and _one_array(here.frames, later.frames)):
        raise InputError(
            "next_observations",
            "stacks of the very frames of the observations",
            "others",
            "Make both with FrameStacks.of_episodes.",
        )


def _one_array(one: Array, other: Array) -> bool:
    return one.shape == other.shape and one.ctypes.data == other.ctypes.data


def _column(values: Any, name: str, size: int, dtype: type) -> Array:
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


def _flags(values: Any, name: str, size: int) -> Bool:
    if isinstance(values, np.ndarray) and values.dtype == np.bool_:
        return _column(values, name, size, np.bool_)
    array = _column(values, name, size, np.float64)
    if not np.isin(array, (0.0, 1.0)).all():
        raise InputError(name, "flags: true or false, 1 or 0", "other numbers")
    return array.astype(bool)


def _derive_episodes(observations: Array, next_observations: Array, ended: Bool) -> Int64:
    size = len(observations)
    starts = ended[:-1].copy()
    here, later = stacks_or_none(observations), stacks_or_none(next_observations)
    if here is not None and later is not None:
        starts |= later.places[:-1] != here.places[1:]
        starts |= later.starts[:-1] != here.starts[1:]
        return np.concatenate(([0], np.cumsum(starts))).astype(np.int64)
    step = rows_at_once(observations)
    for row in range(0, size - 1, step):
        stop = min(row + step, size - 1)
        jump = next_observations[row:stop] != observations[row + 1 : stop + 1]
        starts[row:stop] |= jump.reshape(stop - row, -1).any(axis=1)
    return np.concatenate(([0], np.cumsum(starts))).astype(np.int64)
