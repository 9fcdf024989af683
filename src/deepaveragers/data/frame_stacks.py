"""Stacked frames of which each is stored once.

An observation of an Atari game is the last four frames, so that consecutive ones share
three, and s' of one step is s of the next: as plain arrays, every frame is there eight times.
Here the frames of an episode stand once, one after another, and stacks are made when they
are read: 7 KB a step instead of 56.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import whole_number
from ..arrays import Array, Bool, Int64, frozen, rows_at
from ..errors import InputError
from .scratch import IN_MEMORY, copied, room, taken


@dataclass(frozen=True, eq=False)
class FrameStacks:
    """Stacks of the last frames, read like an array [N, size, H, W].

    Rows by number, slice or mask are plain arrays, made on the spot; `np.asarray` makes all.

    Attributes:
        frames: [F, H, W] uint8 (or more dimensions), episode after episode; may be
            memory-mapped.
        places: [N] int64, the newest frame of each stack.
        starts: [N] int64, the first frame of its episode, which also stands for those that
            would be before it.
        size: frames in a stack.
    """

    frames: Array
    places: Int64
    starts: Int64
    size: int = 4

    def __post_init__(self) -> None:
        frames = _pictures(self.frames)
        object.__setattr__(self, "size", whole_number("size", self.size))
        places, starts = (_numbers(getattr(self, name), name) for name in ("places", "starts"))
        if places.shape != starts.shape or not len(places):
            raise InputError(
                "starts", "one number for each of one or more places", f"shape {starts.shape}"
            )
        if starts.min() < 0 or (starts > places).any() or places.max() >= len(frames):
            raise InputError(
                "places", f"at or after their starts, and below {len(frames)} frames", "others"
            )
        for name, array in (("frames", frames), ("places", places), ("starts", starts)):
            object.__setattr__(self, name, frozen(array))

    @classmethod
    def of_episodes(
        cls, frames: Array, lengths: Sequence[int] | Int64, size: int = 4
    ) -> tuple[FrameStacks, FrameStacks]:
        """Return the observations and next observations of episodes.

        Args:
            frames: [F, H, W] uint8, episode after episode; an episode of T steps has T + 1.
            lengths: T of each episode.
            size: frames in a stack.
        """
        frames, counts = _pictures(frames), _numbers(lengths, "lengths")
        if not len(counts) or counts.min() < 1 or int((counts + 1).sum()) != len(frames):
            raise InputError(
                "lengths",
                f"numbers >= 1 that, with one more each, add up to {len(frames)} frames",
                f"{len(counts)} numbers that add up to {int((counts + 1).sum())}",
            )
        starts = np.repeat(np.cumsum(counts + 1) - counts - 1, counts)
        steps = np.arange(len(starts)) - np.repeat(np.cumsum(counts) - counts, counts)
        here = cls(frames, starts + steps, starts, size)
        return here, cls(here.frames, starts + steps + 1, starts, size)

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        return f"FrameStacks({len(self):,} stacks of {self.size} among {len(self.frames):,} frames)"

    @property
    def shape(self) -> tuple[int, ...]:
        """[N, size, H, W]."""
        return (len(self.places), self.size, *self.frames.shape[1:])

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """uint8."""
        return self.frames.dtype

    def __getitem__(self, rows: Any) -> Array:
        if isinstance(rows, tuple):
            rows, *rest = rows
            if rows is Ellipsis or rows is None:
                return self[:][(rows, *rest)]
            explicit = self[rows]
            before = () if np.ndim(self.places[rows]) == 0 else (slice(None),)
            return explicit[(*before, *rest)]
        return self.frames[self._numbers_of(rows)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("stacks are made when they are read: there is nothing to view")
        return self[:].astype(dtype or self.dtype, copy=False)

    def at(self, rows: Any) -> FrameStacks:
        """Return the given rows as stacks of the same frames."""
        return FrameStacks(self.frames, self.places[rows], self.starts[rows], self.size)

    def used(self) -> Bool:
        """Return [F] bool: the frames that stand in a stack."""
        found = np.zeros(len(self.frames), dtype=bool)
        for back in range(self.size):
            found[np.maximum(self.places - back, self.starts)] = True
        return found

    def moved(self, frames: Array, numbers: Int64) -> FrameStacks:
        """Return the same stacks of frames that have got new numbers [F]."""
        return FrameStacks(frames, numbers[self.places], numbers[self.starts], self.size)

    def _numbers_of(self, rows: Any) -> Int64:
        back = np.arange(self.size - 1, -1, -1)
        places, starts = self.places[rows], self.starts[rows]
        return np.maximum(places[..., None] - back, starts[..., None])


def observations_at(observations: Array, rows: slice | Array) -> Any:
    """Return some observations, stacks or an array; many of them in a temporary file."""
    stacks = stacks_or_none(observations)
    if stacks is not None:
        return stacks.at(rows)
    if isinstance(rows, slice) or observations.nbytes <= IN_MEMORY:
        return rows_at(observations, rows)
    return taken(observations, rows)


def stacks_or_none(observations: Any) -> FrameStacks | None:
    """Return observations that are stacks; they pass as arrays between the rooms."""
    return observations if isinstance(observations, FrameStacks) else None


def check_shared_frames(observations: Any, next_observations: Any) -> None:
    """Refuse stacks of observations and next observations that have not the same frames."""
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


def without_unused(here: FrameStacks, later: FrameStacks) -> tuple[FrameStacks, FrameStacks]:
    """Return observations and next observations of the frames that they need, and no other."""
    used = here.used() | later.used()
    if used.all():
        return here, later
    kept = np.flatnonzero(used)
    frames = copied(here.frames, room((len(kept), *here.frames.shape[1:]), np.uint8), kept)
    # An unused first frame moves to the next used one: no stack of its episode reached it.
    numbers: Int64 = np.cumsum(used) - used
    return here.moved(frames, numbers), later.moved(frames, numbers)


def joined_stacks(
    old: tuple[FrameStacks, FrameStacks], new: tuple[FrameStacks, FrameStacks]
) -> tuple[FrameStacks, FrameStacks]:
    """Return observations and next observations of two datasets, one after the other."""
    first, second = old[0].frames, new[0].frames
    frames = room((len(first) + len(second), *first.shape[1:]), np.uint8)
    copied(first, frames[: len(first)])
    copied(second, frames[len(first) :])
    here, later = (
        FrameStacks(
            frames,
            np.concatenate([a.places, b.places + len(first)]),
            np.concatenate([a.starts, b.starts + len(first)]),
            a.size,
        )
        for a, b in zip(old, new, strict=True)
    )
    return here, later


def _pictures(values: Any) -> Array:
    frames = np.asanyarray(values)
    if frames.dtype != np.uint8 or frames.ndim < 3 or not frames.size:
        raise InputError(
            "frames", "pictures [F, H, W] of uint8", f"shape {frames.shape} of {frames.dtype}"
        )
    return frames


def _numbers(values: Any, name: str) -> Int64:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(name, "whole numbers in one row", f"shape {array.shape} of {array.dtype}")
    return array.astype(np.int64, copy=False)
