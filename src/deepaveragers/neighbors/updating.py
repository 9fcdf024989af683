"""Updating a neighbour graph after rows were added or removed: the same bits as a new search.

- Rows added: a list of an old state changes only if an added source state lies within its
  k-th distance; small trees over the added rows find those. The
  added states themselves are searched in full.
- Rows removed: a list changes only if it names a removed row. Those are searched again; the
  others only have their indices renumbered, which keeps their order.

What is searched in full needs an index of all rows of an action. Where the graph's own are
still there (`index_cache`), they are used; otherwise they are built, one thread each, beside the
work on the lists that need none.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Bool, Float32, Floats, Int32, frozen, rows_at
from ..errors import InputError
from ..parallel import available_threads, do_all, parts_of
from .choice import EXACT
from .features import check_features
from .graph import NO_NEIGHBOR, NeighborGraph, room_for_lists
from .list_search import ListSearch, WantedLists
from .merging import AddedRows
from .tuning import TUNING, Tuning

REMOVED = NO_NEIGHBOR - 1
"""Stands for the number of a row that is no more."""


def extend_graph(
    graph: NeighborGraph,
    source: Floats,
    core: Floats,
    actions: Int32,
    num_actions: int,
    *,
    threads: int | None = None,
    tuning: Tuning = TUNING,
) -> NeighborGraph:
    """Return the graph of all rows, given the graph of the first ones.

    Args:
        graph: the graph of the first N rows and A' <= A actions.
        source: [M, D] features of the states that all M >= N transitions start from.
        core: [M, D] features of the states that they lead to.
        actions: [M] which action each took.
        num_actions: A.
        threads: None uses every processor available.
        tuning: of the search.
    """
    begin = time.perf_counter()
    _check_exact(graph)
    source, core = np.ascontiguousarray(source), np.ascontiguousarray(core)
    engine, threads = graph.report.engine, threads or available_threads()
    rows = ListSearch(engine, source, core, actions, num_actions, threads, tuning)
    old, size = len(graph.indices), len(source)
    if size > old:
        check_features(source[old:], "source_features of the new rows")
        check_features(core[old:], "core_features of the new rows")
    indices, distances = room_for_lists(size, num_actions, graph.k)
    added = AddedRows(old, source, actions, tuning=tuning)

    def renew(part: slice) -> None:
        _copy_lists(graph, part, indices, distances)
        added.merge_into(indices[part], distances[part], core[part])

    jobs = [partial(renew, part) for part in _parts(old, threads, tuning)]
    indexes = graph.index_cache.indexes
    if indexes is None:
        indexes = rows.indexed(jobs)
    else:
        do_all(jobs, threads)
    new = np.arange(old, size)
    rows.search([WantedLists(a, new) for a in range(num_actions)], indexes, indices, distances)
    # What no index holds is still missing in the lists of the new states.
    rest = AddedRows(indexes.covered, source, actions, tuning=tuning)
    rest.merge_into(indices[old:], distances[old:], core[old:])
    longer = _frozen_graph(indices, distances, graph, time.perf_counter() - begin)
    longer.index_cache.keep(indexes, source, engine, tuning)
    return longer


def shrink_graph(
    graph: NeighborGraph,
    kept: Bool,
    source: Floats,
    core: Floats,
    actions: Int32,
    *,
    threads: int | None = None,
    tuning: Tuning = TUNING,
) -> NeighborGraph:
    """Return the graph of the kept rows, given the graph of all.

    Args:
        graph: the graph of all N rows.
        kept: [N] bool, which of them stay.
        source: [M, D] features of the states that the M kept transitions start from.
        core: [M, D] features of the states that they lead to.
        actions: [M] which action each took.
        threads: None uses every processor available.
        tuning: of the search.
    """
    begin = time.perf_counter()
    _check_exact(graph)
    source, core = np.ascontiguousarray(source), np.ascontiguousarray(core)
    num_actions = graph.indices.shape[1]
    engine, threads = graph.report.engine, threads or available_threads()
    rows = ListSearch(engine, source, core, actions, num_actions, threads, tuning)
    indices, distances = room_for_lists(len(source), num_actions, graph.k)
    broken = np.empty((num_actions, len(source)), np.bool_)
    left = np.flatnonzero(kept)
    numbers = np.where(kept, np.cumsum(kept) - 1, REMOVED).astype(np.int32)

    def renew(part: slice) -> None:
        named = rows_at(graph.indices, left[part])
        indices[part] = np.where(named < 0, named, numbers[named])
        distances[part] = rows_at(graph.distances, left[part])
        broken[:, part] = (indices[part] == REMOVED).any(axis=2).T

    jobs = [partial(renew, part) for part in _parts(len(source), threads, tuning)]
    indexes, new = graph.index_cache.indexes, None
    # Where some rows are in no index, a list could be short of one of those.
    if indexes is None or indexes.covered < len(graph.indices):
        indexes = new = rows.indexed(jobs)
    else:
        indexes = indexes.without(numbers)
        do_all(jobs, threads)
    wanted = [WantedLists(action, np.flatnonzero(harmed)) for action, harmed in enumerate(broken)]
    rows.search(wanted, indexes, indices, distances)
    shorter = _frozen_graph(indices, distances, graph, time.perf_counter() - begin)
    shorter.index_cache.keep(new, source, engine, tuning)
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


def _parts(states: int, threads: int, tuning: Tuning) -> list[slice]:
    return parts_of(states, 8 * threads, largest=tuning.most_part_states)


def _copy_lists(graph: NeighborGraph, part: slice, indices: Int32, distances: Float32) -> None:
    """Copy lists, which are empty for actions that the graph does not know."""
    known = graph.indices.shape[1]
    indices[part, :known], distances[part, :known] = graph.indices[part], graph.distances[part]
    indices[part, known:], distances[part, known:] = NO_NEIGHBOR, np.inf
