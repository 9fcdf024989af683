"""Finding trajectories again in a compiled MDP whose rows were shuffled."""

from __future__ import annotations

import numpy as np

from ...arrays import Float32, Float64, Int32
from ..jit import kernel
from ..llvm import ROWS_AHEAD, prefetch_row
from .problem import DISTANCE_OFFSET, Problem

NONE = -1


@kernel
def strong_successor(problem: Problem, states: Int32, successors: Int32) -> None:
    """Write for each of the states the neighbour that holds most of an action's weight.

    Only a share above one half counts: in practice the logged transition itself, at
    distance 0. `NONE` where there is no such neighbour.
    """
    for row in range(len(states)):
        s = states[row]
        successors[row] = NONE
        most = 0.5
        for a in range(problem.indices.shape[1]):
            mass = 0.0
            heaviest = 0.0
            found = NONE
            for j in range(problem.k):
                i = problem.indices[s, a, j]
                if i < 0:
                    continue
                weight = 1.0 / (np.float64(problem.distances[s, a, j]) + DISTANCE_OFFSET)
                mass += weight
                if weight > heaviest:
                    heaviest = weight
                    found = i
            if mass > 0.0 and heaviest / mass > most and found != s:
                most = heaviest / mass
                successors[row] = found


@kernel
def chain_order(successors: Int32, order: Int32) -> None:
    """Write the states so that, read backwards, each comes right after its successor.

    Every state keeps one predecessor (the first), which cuts the graph of successors into
    paths and cycles; paths are walked from their ends, cycles from anywhere.
    """
    size = len(successors)
    predecessor = np.full(size, NONE, np.int32)
    for s in range(size):
        i = successors[s]
        if i != NONE and predecessor[i] == NONE:
            predecessor[i] = s
    visited = np.zeros(size, np.bool_)
    place = size
    for cyclic in range(2):
        for s in range(size - 1, -1, -1):
            is_end = successors[s] == NONE or predecessor[successors[s]] != s
            if cyclic == 0 and not is_end:
                continue
            walker = s
            while walker != NONE and not visited[walker]:
                visited[walker] = True
                place -= 1
                order[place] = walker
                walker = predecessor[walker]


@kernel
def reorder(
    lo: int,
    hi: int,
    order: Int32,
    rank: Int32,
    problem: Problem,
    indices: Int32,
    distances: Float32,
) -> None:
    """Write rows lo..hi of the graph with states renamed: row p is state order[p]."""
    actions, k = indices.shape[1], indices.shape[2]
    for p in range(lo, hi):
        if p + ROWS_AHEAD < hi:
            prefetch_row(problem.indices, order[p + ROWS_AHEAD])
            prefetch_row(problem.distances, order[p + ROWS_AHEAD])
        s = order[p]
        for a in range(actions):
            for j in range(k):
                i = problem.indices[s, a, j]
                indices[p, a, j] = rank[i] if i >= 0 else NONE
                distances[p, a, j] = problem.distances[s, a, j]


@kernel
def restore(lo: int, hi: int, order: Int32, rows: Float64, restored: Float64) -> None:
    """Write rows lo..hi of [N, A] under the names that states had before: p is order[p]."""
    for p in range(lo, hi):
        for a in range(rows.shape[1]):
            restored[order[p], a] = rows[p, a]
