"""The filter frame, point by point: what `neighbors.principal` does by matrix products if wide."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..arrays import Float32, Float64, Floats

FARTHEST = 1e18
"""Coordinates beyond this are cut off: float32 cannot square them."""
CUT = 1e150
"""Gaps to the centre beyond this are cut off: float64 cannot square them."""
FLOAT32_ROUNDING = 2.0**-23


@njit(nogil=True, cache=True)
def to_frame(
    points: Floats,
    mean: Float64,
    rotation: Float64,
    scale: float,
    coordinates: Float32,
    margins: Float64,
) -> None:
    """Write filter coordinates and margins of points.

    Args:
        points: [B, D].
        mean: [D].
        rotation: [D, F].
        scale: of the frame.
        coordinates: [B, at least F, or F + 1 if F < D] out; what lies beyond is left.
        margins: [B] out, how far rounding may have moved them.
    """
    dimensions, kept = rotation.shape
    rotated = np.empty(kept)
    for i in range(len(points)):
        rotated[:] = 0.0
        squared = 0.0
        for d in range(dimensions):
            centred = min(max((np.float64(points[i, d]) - mean[d]) * scale, -CUT), CUT)
            squared += centred * centred
            for f in range(kept):
                rotated[f] += centred * rotation[d, f]
        left = squared
        for f in range(kept):
            left -= rotated[f] * rotated[f]
            coordinates[i, f] = min(max(rotated[f], -FARTHEST), FARTHEST)
        margins[i] = math.sqrt(squared) * FLOAT32_ROUNDING
        if kept < dimensions:
            coordinates[i, kept] = min(math.sqrt(max(left, 0.0)), FARTHEST)
            margins[i] *= 1.0 + math.sqrt(dimensions) / 2.0


@njit(nogil=True, cache=True)
def farthest(rows: Floats, centre: Float64) -> float:
    """Return the largest gap between a row and the centre, along any dimension."""
    most = 0.0
    for i in range(len(rows)):
        for d in range(rows.shape[1]):
            most = max(most, abs(np.float64(rows[i, d]) - centre[d]))
    return most
