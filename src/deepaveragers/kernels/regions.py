"""Telling which region of the feature space a state is in."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Float32, Int64
from .cpu import kernel


@kernel
def assign(coordinates: Float32, axes: Int64, cuts: Float32, regions: Any) -> None:
    """Write the regions of some states; of few at once, which stay in the nearest cache.

    All states go down a level of the tree together, so that none waits for its own last step.

    Args:
        coordinates: [B, D] of the states.
        axes: [R] the dimension that a node of the binary tree is cut along; node i leads to
            2 i and 2 i + 1, the root is 1, and the R regions are nodes R to 2 R - 1.
        cuts: [R] where it is cut.
        regions: [B] written.
    """
    count, size = len(axes), len(coordinates)
    nodes = np.ones(size, np.int32)
    level = 1
    while level < count:
        for s in range(size):
            node = nodes[s]
            nodes[s] = 2 * node + np.int32(coordinates[s, axes[node]] > cuts[node])
        level *= 2
    for s in range(size):
        regions[s] = nodes[s] - count
