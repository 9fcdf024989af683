"""The exact engine for hard, high-dimensional data: filter by matrix products, then refine.

Where even the nearest neighbours are far, boxes exclude little and a tree visits most of its
leaves. Then it is cheaper to bound every pair at once: a matrix product over the leading
principal coordinates and the norm of the rest (see `projection`), a fraction of the work of a
full one. Only pairs whose bound is below the k-th distance found so far are measured.
Identical rows are kept once.

The matrix product uses the threads of the linear algebra library; `threads` is for the rest.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats, Int32
from ..kernels.jit import plain
from ..kernels.knn.dense import Products, Rounding, refine
from ..kernels.knn.distances import NO_ROW, Groups
from ..kernels.knn.outliers import measure_outliers
from ..kernels.knn.simd import POINT_LANES
from ..kernels.precision import FLOAT32_EPSILON
from ..parallel import share
from .duplicates import group_identical, ordered_groups
from .graph import NO_NEIGHBOR
from .outliers import by_norm, outlying, put_last
from .projection import coordinates_of, fit_projection
from .tuning import TUNING, Tuning

EMPTY = np.float32(3e38)
"""Squared norm of a column that stands for no row: beyond every bound."""


class DenseIndex:
    """Exact search by blocked matrix products over the leading principal directions."""

    def __init__(self, rows: Floats, *, tuning: Tuning = TUNING) -> None:
        rows = np.ascontiguousarray(rows)
        if rows.dtype != np.float32:
            rows = rows.astype(np.float64, copy=False)
        self._tuning = tuning
        self._size, self._dimensions = rows.shape
        if self._size == 0:
            return
        members, starts = group_identical(rows)
        distinct = rows[members[starts[:-1]]]
        far = outlying(distinct, tuning=tuning)
        inner = np.delete(distinct, far, axis=0) if len(far) else distinct
        explained, dimensions = tuning.dense_variance, self._dimensions
        self._projection = fit_projection(inner, dimensions, explained=explained, tuning=tuning)
        far, self._far_norms = by_norm(distinct, far, self._projection.mean)
        order = put_last(far, np.arange(len(inner), dtype=np.int32))
        self._groups = ordered_groups(distinct, members, starts, order)
        kept = self._projection.rotation.shape[1]
        self._width = kept + 1 if kept < dimensions else kept
        count = -(-len(inner) // POINT_LANES) * POINT_LANES
        self._coordinates = np.zeros((count, self._width), dtype=np.float32)
        coordinates, margins = coordinates_of(inner, self._projection, self._width, tuning=tuning)
        self._coordinates[: len(inner)] = coordinates
        self._norms = np.full(count, EMPTY)
        self._norms[: len(inner)] = _squared_norms(coordinates)
        self._margin = margins.max()
        self._largest = float(self._norms[: len(inner)].max())

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return self._size

    @property
    def dimensions(self) -> int:
        """Numbers of a row."""
        return self._dimensions

    @property
    def groups(self) -> Groups:
        """The distinct rows, of rows that are not none."""
        return self._groups

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]."""
        squared = np.full((len(points), k), np.inf)
        if self._size == 0:
            return np.full((len(points), k), NO_NEIGHBOR, dtype=np.int32), squared
        found = np.full((len(points), k), NO_ROW)
        for start in range(0, len(points), self._tuning.dense_queries):
            part = slice(start, start + self._tuning.dense_queries)
            block: Float64 = np.ascontiguousarray(points[part], dtype=np.float64)
            self._search(block, squared[part], found[part], threads)
        if k > self._size:
            found[found == NO_ROW] = NO_NEIGHBOR
        return found, np.sqrt(squared, out=squared)

    def _search(self, points: Float64, squared: Float64, found: Int32, threads: int) -> None:
        projection, groups = self._projection, self._groups
        coordinates, margins = coordinates_of(points, projection, self._width, tuning=self._tuning)
        margins += self._margin
        norms = _squared_norms(coordinates)
        slacks = FLOAT32_EPSILON * (self._width + 8) * (norms + self._largest)
        for first in range(0, len(self._coordinates), self._tuning.dense_rows):
            block = self._coordinates[first : first + self._tuning.dense_rows]
            table = coordinates @ block.T

            def work(part: slice, first: int = first, table: Floats = table) -> None:
                products = Products(table[part], first, self._norms)
                rounding = Rounding(norms[part], margins[part], slacks[part], projection.scale)
                refine(points[part], products, rounding, groups, squared[part], found[part])

            share(work, len(points), threads)
        if len(self._far_norms):
            far = np.arange(len(points)), projection.mean, self._far_norms, plain(groups)
            measure_outliers(points, *far, squared, found)


def _squared_norms(coordinates: Floats) -> Float64:
    return np.einsum("ij,ij->i", coordinates, coordinates, dtype=np.float64)
