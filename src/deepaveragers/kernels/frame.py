"""The filter frame of one point: what `neighbors.principal` does for many by matrix products."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..arrays import Float32, Float64

FARTHEST = 1e18
"""Coordinates beyond this are cut off: float32 cannot square them."""
FLOAT32_ROUNDING = 2.0**-23


@njit(nogil=True, cache=True)
def to_frame(
    point: Float64, mean: Float64, rotation: Float64, scale: float, coordinates: Float32
) -> float:
    """Write the filter coordinates of a point; return how far rounding may have moved them."""
    dimensions, kept = rotation.shape
    rotated = np.zeros(kept)
    squared = 0.0
    for d in range(dimensions):
        centred = (point[d] - mean[d]) * scale
        squared += centred * centred
        for f in range(kept):
            rotated[f] += centred * rotation[d, f]
    left = squared
    for f in range(kept):
        left -= rotated[f] * rotated[f]
        coordinates[f] = min(max(rotated[f], -FARTHEST), FARTHEST)
    margin = math.sqrt(squared) * FLOAT32_ROUNDING
    if kept < dimensions:
        coordinates[kept] = min(math.sqrt(max(left, 0.0)), FARTHEST)
        margin *= 1.0 + math.sqrt(dimensions) / 2.0
    return margin
