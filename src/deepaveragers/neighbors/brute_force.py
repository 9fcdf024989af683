"""The reference engine: every distance, computed and sorted. Slow, and right by inspection."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats, Int32
from .graph import NO_NEIGHBOR
from .tuning import TUNING, Tuning

BLOCK_DISTANCES = 4_000_000


class BruteForceIndex:
    """Exact search by full distance tables; the oracle of every other engine."""

    def __init__(self, rows: Floats, *, tuning: Tuning = TUNING) -> None:
        """Take the rows; nothing is to be tuned here."""
        self._rows = np.asarray(rows, dtype=np.float64)

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return len(self._rows)

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]; `threads` is accepted and not used."""
        found = min(k, self.size)
        indices = np.full((len(points), k), NO_NEIGHBOR, dtype=np.int32)
        distances = np.full((len(points), k), np.inf)
        block = max(1, BLOCK_DISTANCES // max(1, self.size))
        for start in range(0, len(points), block):
            squared = self._squared_distances(points[start : start + block])
            # A stable sort keeps equal distances in the order of their rows.
            order = np.argsort(squared, axis=1, kind="stable")[:, :found]
            indices[start : start + block, :found] = order
            distances[start : start + block, :found] = np.sqrt(
                np.take_along_axis(squared, order, axis=1)
            )
        return indices, distances

    def _squared_distances(self, points: Floats) -> Float64:
        total = np.zeros((len(points), self.size))
        for dimension in range(self._rows.shape[1]):
            column = np.asarray(points[:, dimension], dtype=np.float64)
            total += (column[:, None] - self._rows[None, :, dimension]) ** 2
        return total
