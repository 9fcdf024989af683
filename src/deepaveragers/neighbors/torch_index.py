"""The exact engine for a GPU: every distance by blocked matrix products in torch.

A filter, then a proof. Coordinates are centred and scaled to float32; a block of squared
distances |x|^2 - 2xy + |y|^2 comes from one matrix product, whose error is bounded for the
precision in use (float32, or TF32 if torch may use it). The `k + torch_spare` smallest are
kept per query. Their true distances are computed in float64 from the rows themselves. If
the k-th of those is below what any row left out can have, the answer is exact; the few
queries where it is not (many ties) are answered by `DenseIndex`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Float64, Floats, Int32
from ..errors import MissingExtraError
from ..kernels.precision import FLOAT32_UNIT
from .dense import DenseIndex
from .graph import NO_NEIGHBOR
from .tuning import TUNING, Tuning

UNITS = {"highest": 0.0, "high": 2.0**-11, "medium": 2.0**-8}
"""By torch's setting: what the products' inputs are rounded to; float32, TF32, bfloat16."""


class TorchIndex:
    """Exact search by full distance tables on a torch device."""

    def __init__(self, rows: Floats, *, device: str | None = None, tuning: Tuning = TUNING) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError("torch", "deep") from None
        self._torch, self._tuning = torch, tuning
        self._rows = np.ascontiguousarray(rows)
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._fallback: DenseIndex | None = None
        self._margin = 4.0 * (self._rows.shape[1] + 4) * 2.0**-53
        if self.size == 0:
            return
        exact = self._rows.astype(np.float64)
        self._center = exact.mean(axis=0)
        centred = exact - self._center
        self._scale = float(np.abs(centred).max()) or 1.0
        points = (centred / self._scale).astype(np.float32)
        self._coordinates = torch.from_numpy(points).to(self._device)
        self._norms = (self._coordinates**2).sum(dim=1)
        self._largest = float(np.sqrt(np.square(points, dtype=np.float64).sum(axis=1).max()))

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return len(self._rows)

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]; `threads` is for queries with many ties."""
        indices = np.full((len(points), k), NO_NEIGHBOR, dtype=np.int32)
        distances = np.full((len(points), k), np.inf)
        if self.size == 0:
            return indices, distances
        for start in range(0, len(points), self._tuning.torch_queries):
            part = slice(start, start + self._tuning.torch_queries)
            block = np.asarray(points[part], dtype=np.float64)
            proved = self._search(block, k, indices[part], distances[part])
            again = np.flatnonzero(~proved)
            if len(again):
                self._fallback = self._fallback or DenseIndex(self._rows, tuning=self._tuning)
                found = self._fallback.query(points[part][again], k, threads=threads)
                indices[part][again], distances[part][again] = found
        return indices, distances

    def _search(self, points: Float64, k: int, indices: Int32, distances: Float64) -> Array:
        """Answer a block in place; return [B] bool, which answers are proved exact."""
        torch = self._torch
        kept = min(k + self._tuning.torch_spare, self.size)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = (points - self._center) / self._scale
            lengths = np.sqrt(np.square(scaled).sum(axis=1))
            queries = torch.from_numpy(scaled.astype(np.float32)).to(self._device)
        norms = (queries**2).sum(dim=1)
        best = torch.zeros((len(points), 0), device=self._device)
        rows = torch.zeros((len(points), 0), dtype=torch.int64, device=self._device)
        for first in range(0, self.size, self._tuning.torch_rows):
            block = slice(first, first + self._tuning.torch_rows)
            table = torch.addmm(
                self._norms[None, block], queries, self._coordinates[block].T, alpha=-2.0
            )
            near, where = table.topk(min(kept, table.shape[1]), dim=1, largest=False)
            best, rows = torch.cat([best, near], dim=1), torch.cat([rows, where + first], dim=1)
            best, order = best.topk(min(kept, best.shape[1]), dim=1, largest=False)
            rows = rows.gather(1, order)
        candidates = np.sort(rows.cpu().numpy(), axis=1)
        squared = self._squared_distances(points, candidates)
        # Candidates ascend, so a stable sort leaves ties in the order of their rows.
        order = np.argsort(squared, axis=1, kind="stable")[:, : min(k, self.size)]
        found = order.shape[1]
        indices[:, :found] = np.take_along_axis(candidates, order, axis=1)
        nearest = np.take_along_axis(squared, order, axis=1)
        distances[:, :found] = np.sqrt(nearest)
        if kept == self.size:
            return np.asarray(np.isfinite(nearest).all(axis=1))
        with np.errstate(over="ignore", invalid="ignore"):
            left_out = (best[:, -1] + norms).cpu().numpy().astype(np.float64)
            least = (left_out - self._error(lengths)) * self._scale**2
            # NaN compares false; what overflowed float32 proves nothing.
            below = nearest[:, -1] < least * (1.0 - self._margin)
            return np.asarray(below & np.isfinite(left_out))

    def _error(self, lengths: Float64) -> Float64:
        """Bound, per query of this length, how wrong a squared distance in the table can be.

        Scaled coordinates carry 2 rounding errors; products of inputs rounded to u and sums
        of D + 2 terms in float32, all of size at most (|x| + |y|)^2.
        """
        unit = (self._rows.shape[1] + 16) * FLOAT32_UNIT
        unit += 4.0 * UNITS[self._torch.get_float32_matmul_precision()]
        return 2.0 * unit * (lengths + self._largest) ** 2 + 1e-37

    def _squared_distances(self, points: Float64, candidates: Array) -> Float64:
        total = np.zeros(candidates.shape)
        for dimension in range(self._rows.shape[1]):
            column = self._rows[:, dimension].astype(np.float64)
            total += (points[:, dimension, None] - column[candidates]) ** 2
        return total
