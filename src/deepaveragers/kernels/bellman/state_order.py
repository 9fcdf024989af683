"""Finding trajectories again in an MDP whose rows were shuffled; placing values in memory."""

from __future__ import annotations

import numpy as np

from ...arrays import Float32, Int32
from ..jit import inlined, kernel
from .problem import DISTANCE_OFFSET, Problem

NONE = -1
STATES_AT_ONCE = 1 << 14
"""States whose weights are worked on together."""


def strong_successors(problem: Problem, states: Int32) -> Int32:
    """Return for each of the states the neighbour that holds most of an action's weight.

    Only a share above one half counts: in practice the logged transition itself, at
    distance 0. `NONE` where there is no such neighbour. Neighbours stand in order: the first
    weighs most.
    """
    result = np.full(len(states), NONE, np.int32)
    for start in range(0, len(states), STATES_AT_ONCE):
        here = states[start : start + STATES_AT_ONCE]
        weight = 1.0 / (problem.distances[here].astype(np.float64) + DISTANCE_OFFSET)
        nearest, total = problem.indices[here, :, 0], weight.sum(axis=2)
        elsewhere = (nearest != NONE) & (nearest != here[:, None])
        share = np.divide(weight[:, :, 0], total, out=np.zeros_like(total), where=elsewhere)
        rows, action = np.arange(len(here)), share.argmax(axis=1)
        strong = share[rows, action] > 0.5
        result[start : start + len(here)] = np.where(strong, nearest[rows, action], NONE)
    return result


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
    position = size
    for cyclic in range(2):
        for s in range(size - 1, -1, -1):
            is_end = successors[s] == NONE or predecessor[successors[s]] != s
            if cyclic == 0 and not is_end:
                continue
            walker = s
            while walker != NONE and not visited[walker]:
                visited[walker] = True
                position -= 1
                order[position] = walker
                walker = predecessor[walker]


def reorder(
    lo: int, hi: int, order: Int32, rank: Int32, problem: Problem, indices: Int32,
    distances: Float32,
) -> None:  # fmt: skip
    """Write rows lo..hi of the graph with states renamed: row p is state order[p]."""
    states = order[lo:hi]
    found = problem.indices[states]
    indices[lo:hi] = np.where(found == NONE, NONE, rank[found])
    distances[lo:hi] = problem.distances[states]


@inlined
def _place_row(indices: Int32, k: int, s: int, a: int, place: Int32, taken: int) -> int:
    """Give the next places to successors that have none yet; return how many are taken."""
    for j in range(k):
        i = indices[s, a, j]
        if i >= 0 and place[i] == NONE:
            place[i] = taken
            taken += 1
    return taken


@kernel
def place_values(indices: Int32, k: int, order: Int32, previous: Int32, place: Int32) -> None:
    """Give every state a place [N], such that values that are read together stand together.

    States are visited in order. The successors of an action get the next places, then those that
    lie near each of them: where transition i begins, in state previous[i], the same action has
    much the same successors.
    So an action of five successors reads 2 to 4 lines of the cache, of 16 values each, not 5.
    """
    actions, taken = indices.shape[1], 0
    place[:] = NONE
    for s in order:
        for a in range(actions):
            before = taken
            taken = _place_row(indices, k, s, a, place, taken)
            if taken > before:
                for j in range(k):
                    i = indices[s, a, j]
                    if i >= 0:
                        taken = _place_row(indices, k, previous[i], a, place, taken)
    for s in order:
        if place[s] == NONE:
            place[s] = taken
            taken += 1
