"""Telling which region of the feature space a state is in."""

from __future__ import annotations

from typing import Any

from ..arrays import Float32, Int64
from .cpu import kernel


@kernel
def assign(coordinates: Float32, axes: Int64, cuts: Float32, regions: Any) -> None:
    """Write the regions of states.

    Args:
        coordinates: [N, D] of the states.
        axes: [R] the dimension that a node of the binary tree is cut along; node i leads to
            2 i and 2 i + 1, the root is 1, and the R regions are nodes R to 2 R - 1.
        cuts: [R] where it is cut.
        regions: [N] written.
    """
    count = len(axes)
    for s in range(len(coordinates)):
        node = 1
        while node < count:
            node = 2 * node + (1 if coordinates[s, axes[node]] > cuts[node] else 0)
        regions[s] = node - count
