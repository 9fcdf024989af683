"""Updating a neighbour graph after rows were added or removed: the same bits as a new search.

- Rows added: a list of an old state changes only if an added source state lies within its
  k-th distance; a small tree over the added rows finds those, for all actions at once. The
  added states themselves are searched in full.
- Rows removed: a list changes only if it names a removed row. Those are searched again; the
  others only have their indices renumbered, which keeps their order.

What is searched in full needs an index of all rows of an action. Where the graph's own are
still there (`kept`), they are used; otherwise they are built, one thread each, beside the
work on the lists that need none.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Bool, Float32, Floats, Int32, frozen
from ..errors import InputError
from ..kernels.renumber import REMOVED, renumber
from ..parallel import available_threads, do_all, parts_of
from .choice import EXACT
from .graph import NO_NEIGHBOR, NeighborGraph, room_for_lists
from .kept import keep, kept_with
from .merging import MergeTree
from .search import check_features
from .searching import Search, Searching

LARGEST_PART = 8192
"""States whose lists are renewed in one go."""


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
    source, core = np.ascontiguousarray(source), np.ascontiguousarray(core)
    rows = Searching(
        graph.report.engine, source, core, actions, num_actions, threads or available_threads()
    )
    old, size = len(graph.indices), len(source)
    if size > old:
        check_features(source[old:], "source_features of the new rows")
        check_features(core[old:], "core_features of the new rows")
    indices, distances = room_for_lists(size, num_actions, graph.k)
    added = MergeTree(source[old:])

    def renew(part: slice) -> None:
        _copy_lists(graph, part, indices, distances)
        added.merge_into(indices[part], distances[part], core[part], source, actions)

    jobs = [partial(renew, part) for part in _parts(old, rows.threads)]
    kept = kept_with(graph)
    if kept is None:
        kept = rows.indexed(jobs)
    else:
        do_all(jobs, rows.threads)
    new = np.arange(old, size)
    rows.search([Search(a, new) for a in range(num_actions)], kept, indices, distances)
    # What no index holds is still missing in the lists of the new states.
    rest = MergeTree(source[kept.covered :])
    rest.merge_into(indices[old:], distances[old:], core[old:], source, actions)
    longer = _frozen_graph(indices, distances, graph, time.perf_counter() - begin)
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
    source, core = np.ascontiguousarray(source), np.ascontiguousarray(core)
    num_actions = graph.indices.shape[1]
    rows = Searching(
        graph.report.engine, source, core, actions, num_actions, threads or available_threads()
    )
    indices, distances = room_for_lists(len(source), num_actions, graph.k)
    broken = np.empty((num_actions, len(source)), np.bool_)
    left = np.flatnonzero(kept)
    numbers = np.where(kept, np.cumsum(kept) - 1, REMOVED).astype(np.int32)

    def renew(part: slice) -> None:
        out = indices[part], distances[part], broken[:, part]
        renumber(graph.indices, graph.distances, left[part], numbers, *out)

    jobs = [partial(renew, part) for part in _parts(len(source), rows.threads)]
    indexes, new = kept_with(graph), None
    # Where some rows are in no index, a list could be short of one of those.
    if indexes is None or indexes.covered < len(graph.indices):
        indexes = new = rows.indexed(jobs)
    else:
        indexes = indexes.without(numbers)
        do_all(jobs, rows.threads)
    wanted = [Search(action, np.flatnonzero(harmed)) for action, harmed in enumerate(broken)]
    rows.search(wanted, indexes, indices, distances)
    shorter = _frozen_graph(indices, distances, graph, time.perf_counter() - begin)
    keep(shorter, new, source)
    return shorter


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


def _parts(states: int, threads: int) -> list[slice]:
    return parts_of(states, 8 * threads, largest=LARGEST_PART)


def _copy_lists(graph: NeighborGraph, part: slice, indices: Int32, distances: Float32) -> None:
    """Copy lists, which are empty for actions that the graph does not know."""
    known = graph.indices.shape[1]
    indices[part, :known], distances[part, :known] = graph.indices[part], graph.distances[part]
    indices[part, known:], distances[part, known:] = NO_NEIGHBOR, np.inf
