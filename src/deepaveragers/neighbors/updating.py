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

from ..arrays import Bool, Float32, Floats, Int32, Int64
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
        kept = kept or _indexed(graph, source, actions, num_actions, threads)
        rest = np.arange(old, size)
        wanted = [_Search(action, rest) for action in range(num_actions)]
        _search_again(indices, distances, wanted, core, kept, threads)
        # The new states' lists lack what no index holds; those of the old ones, what is new.
        for states, first in ((slice(old, size), kept.covered), (slice(0, old), old)):
            if first < size:
                lists = indices[states], distances[states]
                _MergeTree(source[first:]).merge_into(
                    *lists, core[states], source, actions, threads
                )
    seconds = time.perf_counter() - begin
    longer = NeighborGraph(indices, distances, replace(graph.report, seconds=seconds))
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
    kept_indexes = kept_with(graph)
    # Where some rows are in no index, a list could be short of one of those.
    if kept_indexes is not None and kept_indexes.covered == len(graph.indices):
        kept_indexes = kept_indexes.without(numbers)
    else:
        kept_indexes = None
    if kept_indexes is None:
        kept_indexes = _indexed(graph, source, actions, indices.shape[1], threads)
    _search_again(indices, distances, wanted, core, kept_indexes, threads)
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


@dataclass(frozen=True, eq=False)
class _Search:
    """States whose neighbours with an action have to be searched in full."""

    action: int
    states: Int64


def _indexed(
    graph: NeighborGraph, source: Floats, actions: Int32, num_actions: int, threads: int
) -> KeptIndexes:
    """Return new indexes of all rows, of the kind that the graph was searched with."""
    rows_of = [np.flatnonzero(actions == action).astype(np.int32) for action in range(num_actions)]

    def build(rows: Int32) -> NeighborIndex | None:
        return EXACT[graph.report.engine](source[rows]) if len(rows) else None

    # Only the tree is built by one thread; the others share their work by themselves.
    with ThreadPoolExecutor(threads if graph.report.engine == "tree" else 1) as pool:
        return KeptIndexes(tuple(pool.map(build, rows_of)), tuple(rows_of), len(source))


def _search_again(
    indices: Int32,
    distances: Float32,
    wanted: Iterable[_Search],
    core: Floats,
    kept: KeptIndexes,
    threads: int,
) -> None:
    """Write the lists of the wanted states anew, with the rows that are indexed."""
    k = indices.shape[2]
    for search in wanted:
        if len(search.states):
            rows, gaps = kept.find(search.action, core[search.states], k, threads)
            indices[search.states, search.action] = rows
            distances[search.states, search.action] = gaps


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
