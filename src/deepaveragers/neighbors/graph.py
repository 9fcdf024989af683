"""The neighbour graph: what the data and the representation alone decide."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Float32, Int32
from .index import NO_NEIGHBOR as NO_NEIGHBOR
from .index_cache import IndexCache


@dataclass(frozen=True)
class SearchReport:
    """How a graph was searched.

    Attributes:
        engine: name of the engine that found the neighbours.
        recall: share of the true neighbours found; 1.0 for every exact engine.
        seconds: wall-clock time of the search, index building included.
        peak_bytes: largest resident size of the process during the search, 0 if unknown.
        notes: what the choice of the engine was based on.
    """

    engine: str
    recall: float = 1.0
    seconds: float = 0.0
    peak_bytes: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def exact(self) -> bool:
        """Whether every neighbour is the true one, not only those of the sample."""
        return self.engine != "hnsw"


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """For every core state and action, the nearest source states among that action's transitions.

    Attributes:
        indices: [N, A, K] int32, transition indices ordered by (distance, index);
            `NO_NEIGHBOR` where the action has fewer than K transitions.
        distances: [N, A, K] float32, Euclidean in the representation; inf beside `NO_NEIGHBOR`.
        report: how it was searched.
        index_cache: what it was searched with, for updates; `release` empties it.
    """

    indices: Int32
    distances: Float32
    report: SearchReport
    index_cache: IndexCache = field(default_factory=IndexCache, init=False, repr=False)

    @property
    def k(self) -> int:
        """Neighbours kept per state and action (K)."""
        return int(self.indices.shape[2])

    @property
    def jumps(self) -> Float32:
        """How far the states that are planned from lie from those that were logged."""
        return self.distances

    def release(self) -> None:
        """Let the cached indexes go; the next update builds new ones."""
        self.index_cache.indexes = None


def room_for_lists(size: int, num_actions: int, k: int) -> tuple[Int32, Float32]:
    """Return indices and distances [N, A, K] to be filled.

    They are halves of one piece of memory: NumPy asks for large pages from 4 MB on, and to be
    given small ones takes longer than to fill them.
    """
    both = np.empty((2, size, num_actions, k), np.int32)
    return both[0], both[1].view(np.float32)
