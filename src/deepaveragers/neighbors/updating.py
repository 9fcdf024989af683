"""Updating a neighbour graph after rows were added or removed: the same bits as a new search.

- Rows added: a list of an old state changes only if an added source state lies within its
  k-th distance; a small tree over the added rows finds those. The added states themselves
  are searched in full.
- Rows removed: a list changes only if it names a removed row. Those are searched again; the
  others only have their indices renumbered, which keeps their order.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ..arrays import Array, Bool, Float32, Float64, Floats, Int32
from ..errors import InputError
from ..kernels.tree_merge import merge
from .choice import EXACT
from .graph import NO_NEIGHBOR, NeighborGraph
from .index import NeighborIndex
from .threads import available_threads, share
from .tree import TreeIndex

LAST = np.iinfo(np.int32).max


def extend_graph(
    graph: NeighborGraph,
    source: Floats,
    core: Floats,
    actions: Int32,
    num_actions: int,
    *,
    threads: int | None = None,
) -> NeighborGraph:
    """Return the graph of all rows, given the graph of the first ones.

    Args:
        graph: the graph of the first N rows and A' <= A actions.
        source: [M, D] features of the states that all M >= N transitions start from.
        core: [M, D] features of the states that they lead to.
        actions: [M] which action each took.
        num_actions: A.
        threads: None uses every processor available.
    """
    begin = time.perf_counter()
    _check_exact(graph)
    threads = threads or available_threads()
    old, size = len(graph.indices), len(source)
    indices, distances = _room_for(graph, size, num_actions)
    source, core = np.ascontiguousarray(source), np.ascontiguousarray(core)
    points: Float64 = core[:old].astype(np.float64)
    for action in range(num_actions):
        rows = np.flatnonzero(actions == action).astype(np.int32)
        added = rows[np.searchsorted(rows, old) :]
        if len(added):
            lists = indices[:old, action], distances[:old, action]
            _MergeTree(source[added]).merge_into(lists, points, source, added, threads)
        if len(rows):
            index = EXACT[graph.report.engine](source[rows])
            found = _searched(index, rows, core[old:], graph.k, threads)
            indices[old:, action], distances[old:, action] = found
    seconds = time.perf_counter() - begin
    return NeighborGraph(indices, distances, replace(graph.report, seconds=seconds))


def shrink_graph(
    graph: NeighborGraph,
    kept: Bool,
    source: Floats,
    core: Floats,
    actions: Int32,
    *,
    threads: int | None = None,
) -> NeighborGraph:
    """Return the graph of the kept rows, given the graph of all.

    Args:
        graph: the graph of all N rows.
        kept: [N] bool, which of them stay.
        source: [M, D] features of the states that the M kept transitions start from.
        core: [M, D] features of the states that they lead to.
        actions: [M] which action each took.
        threads: None uses every processor available.
    """
    begin = time.perf_counter()
    _check_exact(graph)
    threads = threads or available_threads()
    # One place more, for NO_NEIGHBOR = -1, which stays what it is.
    numbers = np.append(np.where(kept, np.cumsum(kept) - 1, LAST), NO_NEIGHBOR).astype(np.int32)
    indices = numbers[graph.indices[kept]]
    distances = graph.distances[kept]
    for action in range(indices.shape[1]):
        broken = np.flatnonzero((indices[:, action] == LAST).any(axis=1))
        if not len(broken):
            continue
        rows = np.flatnonzero(actions == action)
        indices[broken, action], distances[broken, action] = NO_NEIGHBOR, np.inf
        if len(rows):
            index = EXACT[graph.report.engine](source[rows])
            found = _searched(index, rows, core[broken], graph.k, threads)
            indices[broken, action], distances[broken, action] = found
    seconds = time.perf_counter() - begin
    return NeighborGraph(indices, distances, replace(graph.report, seconds=seconds))


def _check_exact(graph: NeighborGraph) -> None:
    if graph.report.engine not in EXACT:
        raise InputError(
            "model",
            "searched by an exact engine to be updated exactly",
            f"one searched by {graph.report.engine}",
            "Compile it again.",
        )


def _room_for(graph: NeighborGraph, size: int, num_actions: int) -> tuple[Int32, Float32]:
    old, known, k = graph.indices.shape
    indices = np.full((size, num_actions, k), NO_NEIGHBOR, dtype=np.int32)
    distances = np.full((size, num_actions, k), np.inf, dtype=np.float32)
    indices[:old, :known] = graph.indices
    distances[:old, :known] = graph.distances
    return indices, distances


def _searched(
    index: NeighborIndex, rows: Array, points: Floats, k: int, threads: int
) -> tuple[Int32, Float32]:
    places, gaps = index.query(points, k, threads=threads)
    found = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, rows[places])
    return found.astype(np.int32), gaps.astype(np.float32)


class _MergeTree(TreeIndex):
    """A tree whose rows are merged into lists that are there already."""

    def merge_into(
        self,
        lists: tuple[Int32, Float32],
        points: Float64,
        source: Floats,
        added: Int32,
        threads: int,
    ) -> None:
        """Put the rows, added[0] and so on, into the lists [B, k] of the points, in place."""
        queries = np.arange(len(points))
        width = self._leaves.shape[1]
        coordinates, margins = self._frame.coordinates(points, width, threads=threads)
        margins += self._margin

        def work(part: slice) -> None:
            about = source, added, coordinates, margins, self._frame.scale
            merge(points, queries[part], *about, *self._tree, *lists)

        share(work, len(points), threads)
