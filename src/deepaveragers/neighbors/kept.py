"""The indexes of a graph, kept while it lives, so that updates need not build them again.

Building an index of all rows takes most of the time of adding one row in a hundred. So the
indexes that a graph was searched with stay, and a longer graph takes them over: rows that
were added since are in no index. A graph from which rows were removed is updated by them too,
but does not take them over, since they hold what is to be forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
"""Share of an index's rows that must be left, and of all rows that must be in one."""


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

    def find(self, action: int, points: Floats, k: int, threads: int) -> tuple[Int32, Float64]:
        """Return the k nearest rows [B, k] with an action, and their distances [B, k]."""
        index = self.indexes[action] if action < len(self.indexes) else None
        if index is None:
            shape = len(points), k
            return np.full(shape, NO_NEIGHBOR, np.int32), np.full(shape, np.inf)
        numbers = self.rows[action]
        if numbers.min() != NO_NEIGHBOR:
            places, gaps = index.query(points, k, threads=threads)
            return np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, numbers[places]), gaps
        return self._find_among_gone(index, numbers, points, k, k + SPARE, threads)

    def _find_among_gone(
        self, index: NeighborIndex, numbers: Int32, points: Floats, k: int, asked: int, threads: int
    ) -> tuple[Int32, Float64]:
        places, gaps = index.query(points, asked, threads=threads)
        rows = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, numbers[places])
        gone = rows == NO_NEIGHBOR
        gaps[gone] = np.inf
        present_first = np.argsort(gone, axis=1, kind="stable")[:, :k]
        found = (
            np.take_along_axis(rows, present_first, 1),
            np.take_along_axis(gaps, present_first, 1),
        )
        short = np.flatnonzero(asked - gone.sum(axis=1) < k)
        if len(short) and asked < index.size:
            more = self._find_among_gone(index, numbers, points[short], k, 4 * asked, threads)
            found[0][short], found[1][short] = more
        return found

    def without(self, numbers: Int32) -> KeptIndexes | None:
        """Return them for a search among the rows that are left; None if those are too few.

        Args:
            numbers: [N] the new number of every row, negative where it was removed.
        """
        rows = []
        for before in self.rows:
            now = np.where(before == NO_NEIGHBOR, NO_NEIGHBOR, numbers[before])
            rows.append(np.maximum(now, NO_NEIGHBOR).astype(np.int32))
        left = sum(int((now != NO_NEIGHBOR).sum()) for now in rows)
        if left < FRESH * sum(map(len, rows)):
            return None
        covered = int((numbers[: self.covered] >= 0).sum())
        return replace(self, rows=tuple(rows), covered=covered)


_KEPT: WeakKeyDictionary[NeighborGraph, KeptIndexes] = WeakKeyDictionary()


def keep(graph: NeighborGraph, kept: KeptIndexes | None, source: Floats) -> None:
    """Keep indexes with a graph, unless they are too large or too little of it is in them."""
    if kept is not None and source.nbytes <= MOST_BYTES and kept.covered >= FRESH * len(source):
        _KEPT[graph] = kept


def kept_with(graph: NeighborGraph) -> KeptIndexes | None:
    """Return the indexes kept with a graph, if any."""
    return _KEPT.get(graph)
