"""The indexes of a graph, which it keeps so that updates need not build them again.

Building an index of all rows takes a third of the time of adding one row in a hundred. So the
indexes that a graph was searched with stay, and a longer graph takes them over: rows that
were added since are in no index. A graph from which rows were removed is updated by them too,
but does not take them over, since they hold what is to be forgotten; it keeps what was built of
its own rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Float64, Floats, Int32
from .index import NO_NEIGHBOR, NeighborIndex
from .tuning import Tuning


@dataclass(frozen=True, eq=False)
class ActionIndexes:
    """Indexes of the rows of every action.

    Attributes:
        indexes: one for each action; None where it has no row.
        rows: for each action, the present number of every row indexed; `NO_NEIGHBOR` if gone.
        covered: rows from this number on are in no index.
    """

    indexes: tuple[NeighborIndex | None, ...]
    rows: tuple[Int32, ...]
    covered: int

    @cached_property
    def left(self) -> tuple[int, ...]:
        """For each action, how many of the rows indexed are not gone."""
        return tuple(int((rows != NO_NEIGHBOR).sum()) for rows in self.rows)

    def find(
        self, action: int, points: Floats, k: int, threads: int, spare: int
    ) -> tuple[Int32, Float64] | None:
        """Return the k nearest rows [B, k] with an action, and their distances [B, k].

        `spare` more are asked for, in place of those that are gone. None where so many of the
        nearest are gone that a new index is the quicker way.
        """
        index = self.indexes[action] if action < len(self.indexes) else None
        left = 0 if index is None else self.left[action]
        if index is None or left == 0:
            shape = len(points), k
            return np.full(shape, NO_NEIGHBOR, np.int32), np.full(shape, np.inf)
        asked = k if left == index.size else min(k + spare, index.size)
        places, gaps = index.query(points, max(asked, k), threads=threads)
        rows = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, self.rows[action][places])
        if left == index.size:
            return rows, gaps
        gone = rows == NO_NEIGHBOR
        if (rows.shape[1] - gone.sum(axis=1)).min() < min(k, left):
            return None
        gaps[gone] = np.inf
        present_first = np.argsort(gone, axis=1, kind="stable")[:, :k]
        return tuple(np.take_along_axis(found, present_first, 1) for found in (rows, gaps))  # type: ignore[return-value]

    def without(self, numbers: Int32) -> ActionIndexes:
        """Return them for a search among the rows that are left.

        Args:
            numbers: [N] the new number of every row, negative where it was removed.
        """
        rows = (np.maximum(numbers[before], NO_NEIGHBOR).astype(np.int32) for before in self.rows)
        return replace(self, rows=tuple(rows))


@dataclass(eq=False)
class IndexCache:
    """The indexes that a graph keeps; the graph owns it, and `NeighborGraph.release` empties it.

    Attributes:
        indexes: of the graph's rows, or None.
    """

    indexes: ActionIndexes | None = None

    def __reduce__(self) -> tuple[type[IndexCache], tuple[()]]:
        """Copies of a graph begin without indexes."""
        return IndexCache, ()

    def keep(
        self, indexes: ActionIndexes | None, source: Floats, engine: str, tuning: Tuning
    ) -> None:
        """Keep indexes of the rows, unless they are large, on a GPU, or lack too many of them."""
        if indexes is None or engine == "torch" or source.nbytes > tuning.most_cached_bytes:
            return
        if indexes.covered >= tuning.least_covered * len(source):
            self.indexes = indexes
