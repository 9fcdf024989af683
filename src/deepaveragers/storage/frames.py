"""Stacked frames as plain arrays: each frame once, and which of them make an observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array
from ..data.frame_stacks import FrameStacks, without_unused


def pack_stacks(here: FrameStacks, later: FrameStacks) -> tuple[int, dict[str, Array]]:
    """Return the size of a stack and the arrays; frames that no stack needs are left out."""
    here, later = without_unused(here, later)
    return here.size, {
        "frames": here.frames,
        "places": here.places,
        "starts": here.starts,
        "next_places": later.places,
        "next_starts": later.starts,
    }


def unpack_stacks(size: Any, arrays: Mapping[str, Array]) -> tuple[FrameStacks, FrameStacks]:
    """Return observations and next observations; the frames stay where they are."""
    frames = np.asarray(arrays["frames"])
    return (
        FrameStacks(frames, arrays["places"], arrays["starts"], size),
        FrameStacks(frames, arrays["next_places"], arrays["next_starts"], size),
    )
