"""The search of all actions, block by block of core states, whatever the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Floats, Int32, Int64
from ..progress import Advance
from .checkpoint import Checkpoint
from .choice import EXACT
from .features import Features
from .hnsw import HnswIndex
from .index import NO_NEIGHBOR, NeighborIndex
from .index_cache import ActionIndexes
from .tuning import Tuning


@dataclass(frozen=True, eq=False)
class Task:
    """What is searched: features, the transitions of each action, and how."""

    features: Features
    rows_of: tuple[Int32, ...]
    k: int
    threads: int
    tuning: Tuning

    @property
    def largest(self) -> int:
        """The action that has the most transitions."""
        return max(range(len(self.rows_of)), key=lambda action: len(self.rows_of[action]))

    def rows(self, action: int) -> Floats:
        """Return the source features of an action's transitions."""
        return self.features.source[self.rows_of[action]]


class BlockSearch:
    """The search of all actions, block by block, whatever the engine."""

    def __init__(
        self,
        task: Task,
        engine: str,
        queries: Int64,
        checkpoint: Checkpoint | None,
        advance: Advance,
        ready: NeighborIndex | None,
    ) -> None:
        """Take the parts; `ready` is an index of the largest action, if there is one already."""
        self._task, self._engine, self._queries = task, engine, queries
        self._checkpoint, self._advance = checkpoint, advance
        self._ready = ready
        self._recalls: list[float] = []
        self._indexes: list[NeighborIndex | None] = []

    @property
    def recall(self) -> float:
        """Share of the true neighbours found, as measured; the mean over the actions."""
        return float(np.mean(self._recalls)) if self._recalls else 1.0

    @property
    def _keeps(self) -> bool:
        """Whether indexes outlive the search: exact ones that are small and fill no GPU."""
        fit = self._engine in EXACT and self._engine != "torch"
        return fit and self._task.features.source.nbytes <= self._task.tuning.most_cached_bytes

    @property
    def indexes(self) -> ActionIndexes | None:
        """The indexes that were built; None if some were not, or are not to be kept."""
        rows_of = self._task.rows_of
        if any(len(rows) and index is None for rows, index in zip(rows_of, self._indexes)):
            return None
        return ActionIndexes(tuple(self._indexes), rows_of, len(self._task.features.source))

    def blocks(self) -> Iterator[tuple[int, int, Int32, Float32]]:
        """Yield (action, first position, transition rows, distances) of every block."""
        size = self._task.tuning.block_states
        for action, transitions in enumerate(self._task.rows_of):
            if len(transitions) == 0:
                self._advance(len(self._queries))
                self._indexes.append(None)
                continue
            index: NeighborIndex | None = None
            for start in range(0, len(self._queries), size):
                states = self._queries[start : start + size]
                done = self._load(action, start, len(states))
                if done is None:
                    index = index or self._index(action)
                    done = self._find(index, transitions, states)
                    if self._checkpoint is not None:
                        self._checkpoint.save(action, start, *done)
                self._advance(len(states))
                yield action, start, *done
            self._recalls.append(self._recall_of(action, index))
            self._indexes.append(index if self._keeps else None)

    def _load(self, action: int, start: int, count: int) -> tuple[Int32, Float32] | None:
        if self._checkpoint is None:
            return None
        return self._checkpoint.load(action, start, (count, self._task.k))

    def _find(
        self, index: NeighborIndex, transitions: Int32, states: Int64
    ) -> tuple[Int32, Float32]:
        task = self._task
        rows, distances = index.query(task.features.core[states], task.k, threads=task.threads)
        found = transitions[rows]
        if rows.min() < 0:
            # -1 wrapped round to the last transition, and is put back.
            found[rows == NO_NEIGHBOR] = NO_NEIGHBOR
        return found, distances.astype(np.float32)

    def _index(self, action: int) -> NeighborIndex:
        task = self._task
        if self._ready is not None and action == task.largest:
            ready, self._ready = self._ready, None
            return ready
        rows = task.rows(action)
        if self._engine != "hnsw":
            return EXACT[self._engine](rows, tuning=task.tuning)
        picks = np.random.default_rng(0).permutation(len(self._queries))
        sample = task.features.core[self._queries[picks[: task.tuning.recall_states]]]
        index = HnswIndex(rows, sample=sample, k=task.k, threads=task.threads, tuning=task.tuning)
        if self._checkpoint is not None:
            self._checkpoint.save_recall(action, index.recall)
        return index

    def _recall_of(self, action: int, index: NeighborIndex | None) -> float:
        if self._engine != "hnsw":
            return 1.0
        if isinstance(index, HnswIndex):
            return index.recall
        return self._checkpoint.load_recall(action) if self._checkpoint is not None else 0.0
