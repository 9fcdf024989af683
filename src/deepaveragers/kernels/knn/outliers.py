"""Rows far out, measured after the search of the others.

Let c be the centre. A row x that is among the k nearest of q has |x - c| <= |q - c| + d, with d
the k-th distance found so far: rows in the order of |x - c| are measured up to there. Nearly all
queries lie among the other rows, and end before the first.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Float64, Floats, Int32, Int64
from ..jit import kernel
from .distances import ROUGHLY, UNDERFLOW, Groups, insert_group, squared_distance, step


@step
def outliers_within(points: Floats, i: int, centre: Float64, reach: float, norms: Float64) -> int:
    """Return how many of the rows far out, from the first on, may be as near to a point."""
    if len(norms) == 0:
        return 0
    own = 0.0
    for d in range(points.shape[1]):
        own += (np.float64(points[i, d]) - centre[d]) ** 2
    lost = math.sqrt(points.shape[1] * UNDERFLOW)
    limit = (math.sqrt(own) + reach + 2.0 * lost) * ROUGHLY
    count = 0
    while count < len(norms) and norms[count] <= limit:
        count += 1
    return count


@kernel
def measure_outliers(
    points: Float64, queries: Int64, centre: Float64, norms: Float64, groups: Groups,
    squared: Float64, found: Int32,
) -> None:  # fmt: skip
    """Improve the k best of points[queries] by the last of the rows, those far out.

    `norms` [O] are their distances from the centre [D], ascending. `squared` and `found` [B, k] are
    ordered by (squared distance, row).
    """
    rows, starts, members = groups
    last, first = squared.shape[1] - 1, len(rows) - len(norms)
    for i in queries:
        for j in range(outliers_within(points, i, centre, math.sqrt(squared[i, last]), norms)):
            value = squared_distance(points, i, rows, first + j, squared[i, last])
            insert_group(squared, found, i, value, first + j, starts, members)
