"""The exact engine for hard, high-dimensional data: filter by matrix products, then refine.

Where even the nearest neighbours are far, boxes exclude little and a tree visits most of its
leaves. Then it is cheaper to bound every pair at once: a matrix product over the leading
principal coordinates and the norm of the rest (see `principal`), a fraction of the work of a
full one. Only pairs whose bound is below the k-th distance found so far are measured.
Identical rows are kept once.

The matrix product uses the threads of the linear algebra library; `threads` is for the rest.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats, Int32
from ..kernels.dense import refine
from ..kernels.exact import NO_ROW
from ..kernels.frame import FLOAT32_ROUNDING
from ..kernels.lanes import POINT_LANES
from ..kernels.outliers import measure_outliers
from ..parallel import share
from .duplicates import group_identical, groups_in_order
from .graph import NO_NEIGHBOR
from .outliers import from_within, outlying, put_last
from .principal import principal_frame

EXPLAINED = 0.95
"""Share of the variance that the leading directions hold."""
QUERIES = 512
ROWS = 16_384
EMPTY = np.float32(3e38)


class DenseIndex:
    """Exact search by blocked matrix products over the leading principal directions."""

    def __init__(self, rows: Floats) -> None:
        rows = np.ascontiguousarray(rows)
        if rows.dtype != np.float32:
            rows = rows.astype(np.float64, copy=False)
        self._size, dimensions = rows.shape
        if self._size == 0:
            return
        self._members, self._starts = group_identical(rows)
        distinct = rows[self._members[self._starts[:-1]]]
        far = outlying(distinct)
        inner = np.delete(distinct, far, axis=0) if len(far) else distinct
        self._frame = principal_frame(inner, dimensions, explained=EXPLAINED)
        far, self._far_norms = from_within(distinct, far, self._frame.mean)
        self._rows = distinct
        if len(far):
            order = put_last(far, np.arange(len(inner), dtype=np.int32))
            self._rows = distinct[order]
            self._members, self._starts = groups_in_order(self._members, self._starts, order)
        kept = self._frame.rotation.shape[1]
        self._width = kept + 1 if kept < dimensions else kept
        count = -(-len(inner) // POINT_LANES) * POINT_LANES
        self._coordinates = np.zeros((count, self._width), dtype=np.float32)
        coordinates, margins = self._frame.coordinates(inner, self._width)
        self._coordinates[: len(inner)] = coordinates
        self._norms = np.full(count, EMPTY)
        self._norms[: len(inner)] = _squared_norms(coordinates)
        self._margin = margins.max()
        self._largest = float(self._norms[: len(inner)].max())

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return self._size

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]."""
        squared = np.full((len(points), k), np.inf)
        if self._size == 0:
            return np.full((len(points), k), NO_NEIGHBOR, dtype=np.int32), squared
        found = np.full((len(points), k), NO_ROW)
        for start in range(0, len(points), QUERIES):
            part = slice(start, start + QUERIES)
            block: Float64 = np.ascontiguousarray(points[part], dtype=np.float64)
            self._search(block, squared[part], found[part], threads)
        if k > self._size:
            found[found == NO_ROW] = NO_NEIGHBOR
        return found, np.sqrt(squared, out=squared)

    def _search(self, points: Float64, squared: Float64, found: Int32, threads: int) -> None:
        coordinates, margins = self._frame.coordinates(points, self._width)
        margins += self._margin
        norms = _squared_norms(coordinates)
        slacks = FLOAT32_ROUNDING * (self._width + 8) * (norms + self._largest)
        for first in range(0, len(self._coordinates), ROWS):
            table = coordinates @ self._coordinates[first : first + ROWS].T

            def work(part: slice, first: int = first, table: Floats = table) -> None:
                refine(
                    points[part],
                    table[part],
                    first,
                    self._norms,
                    norms[part],
                    margins[part],
                    slacks[part],
                    self._frame.scale,
                    self._rows,
                    self._starts,
                    self._members,
                    squared[part],
                    found[part],
                )

            share(work, len(points), threads)
        groups = self._rows, self._starts, self._members
        everyone, centre = np.arange(len(points)), self._frame.mean
        measure_outliers(points, everyone, centre, self._far_norms, *groups, squared, found)


def _squared_norms(coordinates: Floats) -> Float64:
    return np.einsum("ij,ij->i", coordinates, coordinates, dtype=np.float64)
