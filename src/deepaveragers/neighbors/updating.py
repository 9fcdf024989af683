"""Updating a neighbour graph after rows were added or removed: the same bits as a new search.

- Rows added: a list of an old state changes only if an added source state lies within its
  k-th distance; a small tree over the added rows finds those, for all actions at once. The
  added states themselves are searched in full.
- Rows removed: a list changes only if it names a removed row. Those are searched again; the
  others only have their indices renumbered, which keeps their order.

What is searched in full needs an index of all rows of an action. Where the graph's own are
still there (`kept`), they are used; otherwise they are built, side by side, one thread each.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bool, Float32, Floats, Int32, Int64, frozen
from ..errors import InputError
from ..kernels.renumber import REMOVED, renumber
from ..kernels.tree_merge import merge
from .choice import EXACT
from .graph import NO_NEIGHBOR, NeighborGraph
from .index import NeighborIndex
from .kept import KeptIndexes, keep, kept_with
from .threads import available_threads, share
from .tree import TreeIndex


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
    kept = kept_with(graph)
    if size > old:
        index = _Indexing(graph.report.engine, source, actions, num_actions, threads)
        kept = kept or index.all()
        rest = np.arange(old, size)
        wanted = [_Search(action, rest) for action in range(num_actions)]
        _search_again(indices, distances, wanted, core, kept, index)
        # The new states' lists lack what no index holds; those of the old ones, what is new.
        for states, first in ((slice(old, size), kept.covered), (slice(0, old), old)):
            if first < size:
                lists = indices[states], distances[states]
                _MergeTree(source[first:]).merge_into(
                    *lists, core[states], source, actions, threads
                )
    seconds = time.perf_counter() - begin
    longer = _frozen_graph(indices, distances, graph, seconds)
    keep(longer, kept, source)
    return longer


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
    size = int(kept.sum())
    indices = np.empty((size, *graph.indices.shape[1:]), np.int32)
    distances = np.empty(indices.shape, np.float32)
    broken = np.empty((indices.shape[1], size), np.bool_)
    rows = np.flatnonzero(kept)
    numbers = np.where(kept, np.cumsum(kept) - 1, REMOVED).astype(np.int32)

    def work(part: slice) -> None:
        out = indices[part], distances[part], broken[:, part]
        renumber(graph.indices, graph.distances, rows[part], numbers, *out)

    share(work, size, threads)
    wanted = [_Search(action, np.flatnonzero(harmed)) for action, harmed in enumerate(broken)]
    source, core = np.ascontiguousarray(source), np.ascontiguousarray(core)
    index = _Indexing(graph.report.engine, source, actions, indices.shape[1], threads)
    kept_indexes = kept_with(graph)
    # Where some rows are in no index, a list could be short of one of those.
    whole = kept_indexes is not None and kept_indexes.covered == len(graph.indices)
    kept_indexes = kept_indexes.without(numbers) if kept_indexes and whole else index.all()
    _search_again(indices, distances, wanted, core, kept_indexes, index)
    seconds = time.perf_counter() - begin
    return _frozen_graph(indices, distances, graph, seconds)


def _frozen_graph(
    indices: Int32, distances: Float32, before: NeighborGraph, seconds: float
) -> NeighborGraph:
    report = replace(before.report, seconds=seconds)
    return NeighborGraph(frozen(indices), frozen(distances), report)


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


@dataclass(frozen=True, eq=False)
class _Search:
    """States whose neighbours with an action have to be searched in full."""

    action: int
    states: Int64


@dataclass(frozen=True, eq=False)
class _Indexing:
    """Builds indexes of the present rows, of the kind that a graph was searched with."""

    engine: str
    source: Floats
    actions: Int32
    num_actions: int
    threads: int

    def all(self) -> KeptIndexes:
        """Return new indexes of all rows."""
        # Only the tree is built by one thread; the others share their work by themselves.
        with ThreadPoolExecutor(self.threads if self.engine == "tree" else 1) as pool:
            indexes, rows = zip(*pool.map(self.of, range(self.num_actions)))
        return KeptIndexes(indexes, rows, len(self.source))

    def of(self, action: int) -> tuple[NeighborIndex | None, Int32]:
        """Return a new index of an action's rows, and their numbers."""
        rows = np.flatnonzero(self.actions == action).astype(np.int32)
        return (EXACT[self.engine](self.source[rows]) if len(rows) else None), rows


def _search_again(
    indices: Int32,
    distances: Float32,
    wanted: Iterable[_Search],
    core: Floats,
    kept: KeptIndexes,
    index: _Indexing,
) -> None:
    """Write the lists of the wanted states anew, with the rows that are indexed."""
    k = indices.shape[2]
    for search in wanted:
        action, points = search.action, core[search.states]
        if not len(points):
            continue
        found = kept.find(action, points, k, index.threads)
        if found is None:
            fresh, rows = index.of(action)
            assert fresh is not None
            places, gaps = fresh.query(points, k, threads=index.threads)
            found = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, rows[places]), gaps
        indices[search.states, action], distances[search.states, action] = found


class _MergeTree(TreeIndex):
    """A tree whose rows are merged into lists that are there already."""

    def merge_into(
        self,
        indices: Int32,
        distances: Float32,
        points: Floats,
        source: Floats,
        actions: Int32,
        threads: int,
    ) -> None:
        """Put the rows, the last of `source`, into the lists [B, A, k] of the points, in place."""
        queries = np.arange(len(points))
        first = len(source) - self.size
        coming = np.unique(actions[first:]).astype(np.int64)
        width = self._leaves.shape[1]
        coordinates, margins = self._frame.coordinates(points, width, threads=threads)
        margins += self._margin

        def work(part: slice) -> None:
            about = source, actions, coming, first, coordinates, margins, self._frame.scale
            merge(points, queries[part], *about, *self._tree, indices, distances)

        share(work, len(points), threads)
