"""Writing a block of answers to where they belong: all copies of the states searched."""

from __future__ import annotations

from numba import njit

from ..arrays import Float32, Int32, Int64


@njit(nogil=True, cache=True)
def spread(
    groups: Int64,
    members: Int32,
    starts: Int32,
    action: int,
    rows: Int32,
    gaps: Float32,
    indices: Int32,
    distances: Float32,
) -> None:
    """Write the neighbours of groups of identical states.

    Args:
        groups: [B] which groups.
        members, starts: states group after group, and where each group begins.
        action: which.
        rows, gaps: [B, K] neighbours of each group, and how far they are.
        indices, distances: [N, A, K] out.
    """
    for i in range(len(groups)):
        for member in range(starts[groups[i]], starts[groups[i] + 1]):
            state = members[member]
            for j in range(rows.shape[1]):
                indices[state, action, j] = rows[i, j]
                distances[state, action, j] = gaps[i, j]
