"""The indexes of a graph, kept while it lives, so that updates need not build them again.

Building an index of all rows takes a third of the time of adding one row in a hundred. So the
indexes that a graph was searched with stay, and a longer graph takes them over: rows that
were added since are in no index. A graph from which rows were removed is updated by them too,
but does not take them over, since they hold what is to be forgotten; it keeps what was built of
its own rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Float64, Floats, Int32
from .graph import NO_NEIGHBOR, NeighborGraph
from .index import NeighborIndex

MOST_BYTES = 1 << 27
"""Features of all rows; the indexes of larger data are let go."""
SPARE = 4
"""Rows asked for beyond k, in place of those that were removed."""
FRESH = 0.8
"""Share of all rows that must be in an index for it to be taken over."""


@dataclass(frozen=True, eq=False)
class KeptIndexes:
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
        self, action: int, points: Floats, k: int, threads: int
    ) -> tuple[Int32, Float64] | None:
        """Return the k nearest rows [B, k] with an action, and their distances [B, k].

        None where so many of the nearest are gone that a new index is the quicker way.
        """
        index = self.indexes[action] if action < len(self.indexes) else None
        left = 0 if index is None else self.left[action]
        if index is None or left == 0:
            shape = len(points), k
            return np.full(shape, NO_NEIGHBOR, np.int32), np.full(shape, np.inf)
        asked = k if left == index.size else min(k + SPARE, index.size)
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

    def without(self, numbers: Int32) -> KeptIndexes:
        """Return them for a search among the rows that are left.

        Args:
            numbers: [N] the new number of every row, negative where it was removed.
        """
        rows = (np.maximum(numbers[before], NO_NEIGHBOR).astype(np.int32) for before in self.rows)
        return replace(self, rows=tuple(rows))


_KEPT: WeakKeyDictionary[NeighborGraph, KeptIndexes] = WeakKeyDictionary()


def keep(graph: NeighborGraph, kept: KeptIndexes | None, source: Floats) -> None:
    """Keep indexes with a graph, unless they are large, on a GPU, or lack too much of it."""
    if kept is None or graph.report.engine == "torch":
        return
    if source.nbytes <= MOST_BYTES and kept.covered >= FRESH * len(source):
        _KEPT[graph] = kept


def kept_with(graph: NeighborGraph) -> KeptIndexes | None:
    """Return the indexes kept with a graph, if any."""
    return _KEPT.get(graph)
