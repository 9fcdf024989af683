"""Approximate search by a navigable graph (faiss HNSW): opt-in, with its recall measured.

For data whose exact search would not fit the user's time. The search effort is doubled until
the share of true neighbours found, on a sample of the real queries, reaches the target.
Identical rows are indexed once (copies of one point crowd each other's links, and recall
falls); distances are computed again in float64 from the rows. The graph is built by one
thread: with more, its links would depend on their timing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Float64, Floats, Int32
from ..errors import MissingExtraError
from ..kernels.knn.distances import NO_ROW, Groups, rank_candidates
from ..parallel import share
from .dense import DenseIndex
from .duplicates import group_identical
from .graph import NO_NEIGHBOR
from .tree import TreeIndex
from .tuning import TUNING, Tuning


class HnswIndex:
    """Approximate search over the distinct rows.

    Attributes:
        recall: share of the true neighbours found on the sample.
        effort: candidates kept while searching (efSearch).
    """

    def __init__(
        self, rows: Floats, *, sample: Floats, k: int, threads: int = 1, tuning: Tuning = TUNING
    ) -> None:
        self._size, self._tuning = len(rows), tuning
        self.recall, self.effort = 1.0, 0
        if self._size == 0:
            return
        members, starts = group_identical(rows)
        distinct = rows[members[starts[:-1]]]
        self._groups = Groups(distinct, starts, members)
        self._mean = distinct.mean(axis=0, dtype=np.float64)
        self._faiss = _load_faiss()
        self._graph = self._faiss.IndexHNSWFlat(distinct.shape[1], tuning.hnsw_links)
        self._graph.hnsw.efConstruction = tuning.hnsw_build_effort
        self._faiss.omp_set_num_threads(1)
        self._graph.add((distinct - self._mean).astype(np.float32))
        self._raise_effort(rows, sample, k, threads)

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return self._size

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k], most of them the nearest."""
        squared = np.full((len(points), k), np.inf)
        if self._size == 0 or len(points) == 0:
            return np.full((len(points), k), NO_NEIGHBOR, dtype=np.int32), squared
        found = np.full((len(points), k), NO_ROW)
        exact: Float64 = np.ascontiguousarray(points, dtype=np.float64)
        self._faiss.omp_set_num_threads(threads)
        self._graph.hnsw.efSearch = max(self.effort, k)
        centred = (exact - self._mean).astype(np.float32)
        _, near = self._graph.search(centred, min(k, len(self._groups.rows)))

        def rank(part: slice) -> None:
            rank_candidates(exact[part], near[part], self._groups, squared[part], found[part])

        share(rank, len(points), threads)
        found[found == NO_ROW] = NO_NEIGHBOR
        return found, np.sqrt(squared, out=squared)

    def _raise_effort(self, rows: Floats, sample: Floats, k: int, threads: int) -> None:
        tuning = self._tuning
        exact = (DenseIndex if rows.shape[1] > tuning.wide else TreeIndex)(rows, tuning=tuning)
        _, truth = exact.query(sample, k, threads=threads)
        farthest = np.where(np.isinf(truth), -1.0, truth).max(axis=1, keepdims=True)
        wanted = max(1, int(np.isfinite(truth).sum()))
        self.effort = tuning.hnsw_first_effort // 2
        self.recall = 0.0
        while self.recall < tuning.recall_target and self.effort < tuning.hnsw_largest_effort:
            self.effort *= 2
            _, distances = self.query(sample, k, threads=threads)
            self.recall = float((distances <= farthest).sum() / wanted)


def _load_faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise MissingExtraError("faiss (approximate neighbour search)", "ann") from None
    return faiss
