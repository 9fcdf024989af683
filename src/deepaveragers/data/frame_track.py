"""The observations of an episode while it is played: stacked frames are kept once each."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

LARGEST_STACK = 16


class FrameTrack:
    """Pictures [size, H, W] in order, as frames while each shows all but the oldest of the last.

    The first stack may be filled up with any one frame. Pictures that do not follow one
    another so are kept whole.
    """

    def __init__(self, first: Array) -> None:
        self._last = first
        self._count = 1
        self._whole: list[Array] | None = None
        self._frames: list[Array] = []
        self.filled = 0
        """1 where a frame that is not the first one itself stands before it, else 0."""
        pictures = first.dtype == np.uint8 and first.ndim >= 3
        stacked = pictures and 2 <= len(first) <= LARGEST_STACK
        if not stacked or (first[1:-1] != first[0]).any():
            self._whole = [first]
            return
        if (first[0] != first[-1]).any():
            self._frames.append(first[0])
            self.filled = 1
        self._frames.append(first[-1])

    def __len__(self) -> int:
        return self._count

    @property
    def last(self) -> Array:
        """The newest picture."""
        return self._last

    @property
    def frames(self) -> list[Array] | None:
        """Each frame once; None where the pictures are not stacks."""
        return self._frames if self._whole is None else None

    def append(self, picture: Array) -> None:
        """Add the next picture."""
        if self._whole is None and not np.array_equal(picture[:-1], self._last[1:]):
            self._whole = self.pictures()
        if self._whole is None:
            self._frames.append(picture[-1].copy())
        else:
            self._whole.append(picture)
        self._last = picture
        self._count += 1

    def pictures(self) -> list[Array]:
        """Return all pictures, whole."""
        if self._whole is not None:
            return self._whole
        size = len(self._last)
        return [
            np.stack([self._frames[max(place - back, 0)] for back in range(size - 1, -1, -1)])
            for place in range(self.filled, len(self._frames))
        ]
