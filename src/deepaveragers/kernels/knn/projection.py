"""Filter coordinates, point by point; `neighbors.projection` has wide ones by matrix products."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Float32, Float64
from ..jit import kernel
from ..precision import FLOAT32_EPSILON

FARTHEST = 1e18
"""Coordinates beyond this are cut off: float32 cannot square them."""
CUT = 1e150
"""Gaps to the centre beyond this are cut off: float64 cannot square them."""


class Projection(NamedTuple):
    """A point x goes to ((x - mean) * scale) @ rotation, and the norm of what that leaves.

    Attributes:
        mean: [D] the centre.
        rotation: [D, F] orthonormal directions, F <= D.
        scale: a power of two.
    """

    mean: Float64
    rotation: Float64
    scale: float


@kernel
def project(
    points: Float64, projection: Projection, coordinates: Float32, margins: Float64
) -> None:
    """Write filter coordinates of points [B, D], and how far rounding may have moved them [B].

    Coordinates are [B, at least F, or F + 1 if F < D]; what lies beyond is left.
    """
    mean, rotation, scale = projection
    dimensions, kept = rotation.shape
    rotated = np.empty(kept)
    for i in range(len(points)):
        for f in range(kept):
            rotated[f] = 0.0
        squared = 0.0
        for d in range(dimensions):
            centred = min(max((points[i, d] - mean[d]) * scale, -CUT), CUT)
            squared += centred * centred
            for f in range(kept):
                rotated[f] += centred * rotation[d, f]
        left = squared
        for f in range(kept):
            left -= rotated[f] * rotated[f]
            coordinates[i, f] = min(max(rotated[f], -FARTHEST), FARTHEST)
        margins[i] = math.sqrt(squared) * FLOAT32_EPSILON
        if kept < dimensions:
            coordinates[i, kept] = min(math.sqrt(max(left, 0.0)), FARTHEST)
            margins[i] *= 1.0 + math.sqrt(dimensions) / 2.0
