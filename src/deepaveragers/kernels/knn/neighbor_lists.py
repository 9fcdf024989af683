"""Lists of nearest rows, renumbered after rows were removed."""

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
