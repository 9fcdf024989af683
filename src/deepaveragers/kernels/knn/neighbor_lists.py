"""Lists of nearest rows: written for all copies of a state, renumbered after rows were removed."""

from __future__ import annotations

from ...arrays import Bool, Float32, Int32, Int64
from ..jit import kernel

REMOVED = -2
"""Stands in `numbers` for a row that is no more."""


@kernel
def renumber(
    indices: Int32,
    distances: Float32,
    kept: Int64,
    numbers: Int32,
    new_indices: Int32,
    new_distances: Float32,
    broken: Bool,
) -> None:
    """Copy the lists of the kept rows, with the new numbers of the rows that they name.

    Args:
        indices: [N, A, k] rows, -1 for none.
        distances: [N, A, k].
        kept: [M] which rows stay.
        numbers: [N] new number of each, or `REMOVED`.
        new_indices: [M, A, k] out.
        new_distances: [M, A, k] out.
        broken: [A, M] out, whether a list named a row that is no more.
    """
    for place, row in enumerate(kept):
        for action in range(indices.shape[1]):
            harmed = False
            for j in range(indices.shape[2]):
                number = indices[row, action, j]
                if number >= 0:
                    number = numbers[number]
                harmed |= number == REMOVED
                new_indices[place, action, j] = number
                new_distances[place, action, j] = distances[row, action, j]
            broken[action, place] = harmed


@kernel
def write_lists(
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
        members: states, group after group.
        starts: [B + 1] where each of the groups begins.
        action: which.
        rows, gaps: [B, K] neighbours of each group, and how far they are.
        indices, distances: [N, A, K] out.
    """
    for i in range(len(rows)):
        for member in range(starts[i], starts[i + 1]):
            state = members[member]
            for j in range(rows.shape[1]):
                indices[state, action, j] = rows[i, j]
                distances[state, action, j] = gaps[i, j]
