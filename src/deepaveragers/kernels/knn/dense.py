"""Filter and refine over a table of inner products.

With f the filter coordinates (see `neighbors.projection`), |f(q) - f(x)|^2 = |f(q)|^2 + |f(x)|^2 -
2 f(q)f(x) is a lower bound of the squared distance, and a matrix product gives it for many
pairs at once. Rounding of the product is within (F + 1) 2^-24 |f(q)| |f(x)|, in whatever
order it was summed; `slack` holds twice that, and a pair is passed over only beyond it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Float32, Float64, Int32
from ..jit import kernel
from .distances import Groups, insert_group, squared_distance, squared_reach
from .simd import POINT_LANES, lowest_bit, near_products

LARGEST = 1e38
"""Bounds beyond this are cut off: float32 has no room for more."""


class Products(NamedTuple):
    """A block of inner products of query points with distinct rows.

    Attributes:
        table: [B, T] f(q)f(x), in one piece, T a multiple of the lanes.
        first: the distinct row that the first column is for.
        norms: [U + padding] |f(x)|^2 of all distinct rows; large where there is none.
    """

    table: Float32
    first: int
    norms: Float32


class Rounding(NamedTuple):
    """What bounds are made of, for each query point.

    Attributes:
        norms: [B] |f(q)|^2.
        margins: [B] how far rounding may have moved f of the point and of any row.
        slacks: [B] rounding of the products.
        scale: of the projection.
    """

    norms: Float64
    margins: Float64
    slacks: Float64
    scale: float


@kernel
def _limit(best: float, scale: float, margin: float, slack: float, norm: float, width: int) -> Any:
    reach = squared_reach(best, scale, margin, width) + slack - norm
    return np.float32(min(max(reach, -LARGEST), LARGEST))


@kernel
def refine(
    points: Float64, products: Products, rounding: Rounding, groups: Groups, squared: Float64,
    found: Int32,
) -> None:  # fmt: skip
    """Improve the k best of every point [B, D] by the rows that the table of products is for.

    Their squared distances, ascending, and row numbers are `squared` and `found` [B, k].
    """
    table, first, norms = products
    rows, starts, members = groups
    k, dimensions, columns = squared.shape[1], points.shape[1], table.shape[1]
    scale = rounding.scale
    sums = np.empty(POINT_LANES, np.float32)
    for i in range(len(points)):
        own, margin, slack = rounding.norms[i], rounding.margins[i], rounding.slacks[i]
        ceiling = squared[i, k - 1]
        limit = _limit(ceiling, scale, margin, slack, own, dimensions)
        for start in range(0, columns, POINT_LANES):
            at = i * columns + start
            near = near_products(table, at, norms, first + start, limit, sums)
            while near:
                lane = lowest_bit(near)
                near &= near - 1
                if sums[lane] > limit:
                    continue
                group = first + start + lane
                value = squared_distance(points, i, rows, group, ceiling)
                if value > ceiling:
                    continue
                if insert_group(squared, found, i, value, group, starts, members):
                    ceiling = min(ceiling, squared[i, k - 1])
                    limit = _limit(ceiling, scale, margin, slack, own, dimensions)
