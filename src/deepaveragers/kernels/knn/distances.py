"""Exact distances and their order: the last step of every engine.

A squared distance is summed in float64 from the rows themselves, one dimension after another,
so that every engine gives the same bits. The k best are kept ordered by (distance, row).
Arrays come whole, with the number of the point: a view of one row costs more than what it is for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Float64, Floats, Int32, Int64
from ..jit import jit, kernel
from ..precision import FLOAT32_EPSILON

NO_ROW = np.int32(2**31 - 1)
"""Fills the places that no row has taken yet: it is after every row."""
STRIDE = 128
"""Dimensions that are summed in any order before the sum is compared with the limit."""
ORTHOGONALITY = 1e-9
"""Far more than a projection's directions lack to be orthonormal."""
UNDERFLOW = 1e-307
"""Far more than what is lost where float64 cannot hold a square."""
ROUGHLY = 1.0 + 1e-9
"""Sums in another order differ by far less."""
step = jit(forceinline=True, _nrt=False)
"""For what is done to one row at a time: counting references to arrays would cost more."""


class Groups(NamedTuple):
    """Distinct rows, and the rows that are identical to each.

    Attributes:
        rows: [U, D] distinct rows.
        starts: [U + 1] where each distinct row begins in `members`.
        members: [N] row numbers, ascending within one distinct row.
    """

    rows: Floats
    starts: Int32
    members: Int32


@jit(fastmath={"reassoc", "contract"}, _nrt=False)
def _rough_squared_distance(points: Any, i: int, rows: Any, row: int, limit: float) -> float:
    """The same sum in any order, which is several times faster; it may stop past the limit."""
    dimensions = points.shape[1]
    total = 0.0
    d = 0
    while d < dimensions and total <= limit:
        part = 0.0
        for j in range(d, min(d + STRIDE, dimensions)):
            gap = points[i, j] - np.float64(rows[row, j])
            part += gap * gap
        total += part
        d += STRIDE
    return total


@step
def squared_distance(points: Any, i: int, rows: Any, row: int, limit: float) -> float:
    """Sum the squared gaps in order, or give anything above the limit if the sum is above it."""
    dimensions = points.shape[1]
    if dimensions > STRIDE:
        rough = _rough_squared_distance(points, i, rows, row, limit * ROUGHLY)
        if rough > limit * ROUGHLY:
            return rough
    total = 0.0
    for j in range(dimensions):
        gap = points[i, j] - np.float64(rows[row, j])
        total += gap * gap
    return total


@step
def insert(squared: Any, found: Any, i: int, value: float, row: Any) -> bool:
    """Put a row in its place by (distance, row); False if it has none among the k best of i."""
    place = found.shape[1] - 1
    if value > squared[i, place] or (value == squared[i, place] and row >= found[i, place]):
        return False
    while place > 0 and (
        value < squared[i, place - 1]
        or (value == squared[i, place - 1] and row < found[i, place - 1])
    ):
        squared[i, place] = squared[i, place - 1]
        found[i, place] = found[i, place - 1]
        place -= 1
    squared[i, place] = value
    found[i, place] = row
    return True


@step
def insert_group(
    squared: Any, found: Any, i: int, value: float, group: int, starts: Any, members: Any
) -> bool:
    """Put the rows of a group, all at one distance, in their places; False if none has one."""
    changed = False
    for member in range(starts[group], starts[group + 1]):
        if not insert(squared, found, i, value, members[member]):
            break
        changed = True
    return changed


@kernel
def squared_reach(squared: float, scale: float, margin: float, dimensions: int) -> float:
    """Filter sums above this belong to points farther than `squared`, whatever was rounded.

    The margin is what rounding does to the filter coordinates; the factor at the end, to a
    float32 sum of up to `dimensions` squares.
    """
    reach = math.sqrt(squared * (1.0 + dimensions * 2.0**-51) + dimensions * UNDERFLOW)
    reach = reach * scale * (1.0 + ORTHOGONALITY) + margin
    return reach * reach * (1.0 + (dimensions + 8) * FLOAT32_EPSILON)


@kernel
def rank_candidates(
    points: Float64, candidates: Int64, groups: Groups, squared: Float64, found: Int32
) -> None:
    """Keep the k best rows of points [B, D] among candidate groups [B, C]; negative for none.

    `squared` [B, k] comes as inf, `found` [B, k] as `NO_ROW`.
    """
    last = squared.shape[1] - 1
    for i in range(len(points)):
        for j in range(candidates.shape[1]):
            group = candidates[i, j]
            if group >= 0:
                value = squared_distance(points, i, groups.rows, group, squared[i, last])
                insert_group(squared, found, i, value, group, groups.starts, groups.members)
