"""Policy improvement in float32 with slip and worst cases, over the packed MDP.

Such a backup is no single row of the transition matrix: it mixes the best action with the mean of
all (slip), and the average neighbour with the worst (`reference` has the equations). A sweep
writes, for every state, a row that agrees with the backup at the values at hand,

    x(s) = (T V (s) - sum_j w_j V(j)) + sum_j w_j x(j),

with w_j = gamma ((1 - w) alpha_j + w [j is the worst]) of the best action: Newton's method. An
action that is slipped to is taken to lead to its nearest neighbour only. So rows are k + A wide
instead of k A; they are exact for values that all move alike, and the next sweep mends the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Float32, Int32
from ..jit import fused, inlined, kernel
from .packed import Packed
from .policy_system import PolicySystem, solve_for_itself
from .problem import Problem
from .reference import outcomes
from .static_width import StaticWidth
from .sweep_state import SweepState, exchange, part_of, record_change


def steps_to_neighbors(
    lo: int, hi: int, problem: Problem, graph: Problem, order: Int32, steps: Float32
) -> None:
    """Write what following one neighbour yields, penalties included, of a block; see `packed`.

    It is inf in [N, A, k] where there is no neighbour, or the episode ended. Rows are those of
    the packed MDP.
    """
    states = order[lo:hi] if len(order) else slice(lo, hi)
    part = graph._replace(
        indices=graph.indices[states], distances=graph.distances[states], gamma=0.0
    )
    fees = problem.penalties[lo:hi] if len(problem.penalties) > 1 else problem.penalties
    found = outcomes(part, graph.rewards) - fees[:, :, None]
    found[problem.terminal[lo:hi]] = np.inf
    steps[problem.size - hi : problem.size - lo] = found[::-1]


@inlined
def _write_row(
    s: int, row: int, chosen: int, worst: int, k: int, gamma: float, followed: float,
    slipped: float, worst_case: float, value: float, index: Int32, weight: Float32, reward: Float32,
    successors: Int32, weights: Float32, constant: Float32, values: Float32,
) -> None:  # fmt: skip
    """Write the row that agrees with the value; solved for the state's own.

    `followed` and `slipped` are the probabilities of the best action and of each other one.
    """
    rest, width = value, successors.shape[1]
    for place in range(width):
        a = chosen if place < k else place - k
        j = place if place < k else 0
        i = index[row, a, j]
        part: Any = np.float32(0.0)
        if place < k:
            part = (np.float32(1.0) - worst_case) * weight[row, a, j]
            if j == worst:
                part += worst_case
            part *= gamma * followed
        elif a != chosen and weight[row, a, 0] > 0.0 and reward[row, a] > -np.inf:
            part = gamma * slipped
        rest -= part * values[np.uint32(i)]
        successors[s, place] = i
        weights[s, place] = part
    constant[s] = rest
    solve_for_itself(s, width, successors, weights, constant)


@fused
def _improve_part(
    lo: int, hi: int, static: StaticWidth, gamma: float, packed: Packed, reward: Float32,
    slip: float, worst_case: float, steps: Float32, choice: Int32, system: PolicySystem,
) -> float:  # fmt: skip
    """Sweep over states lo..hi, as the plain improvement does, and write rows that agree with it.

    `steps` [N, A, k] is that of `steps_to_neighbors`, empty without a worst case.
    """
    index, weight = packed.successors, packed.weight
    successors, weights, constant, values, _ = system
    size, actions, any_k = weight.shape
    k = len(static) if len(static) > 0 else any_k
    one, largest = np.float32(1.0), np.float32(0.0)
    for row in range(np.uint64(size - hi), np.uint64(size - lo)):
        s = size - 1 - np.int64(row)
        best, chosen, chosen_worst = np.float32(-np.inf), 0, -1
        summed, count = np.float32(0.0), np.float32(0.0)
        for a in range(actions):
            if reward[row, a] == -np.inf:
                continue
            future, least, worst = np.float32(0.0), np.float32(np.inf), -1
            for j in range(k):
                ahead = gamma * values[np.uint32(index[row, a, j])]
                future += weight[row, a, j] * ahead
                if worst_case > 0.0 and steps[row, a, j] + ahead < least:
                    least, worst = steps[row, a, j] + ahead, j
            q = reward[row, a] + future
            if worst >= 0:
                q = (one - worst_case) * q + worst_case * least
            summed += q
            count += one
            if q > best:
                best, chosen, chosen_worst = q, a, worst
        value = (one - slip) * best + slip * (summed / count)
        choice[s] = chosen
        slipped = slip / count
        _write_row(
            s, row, chosen, chosen_worst, k, gamma, one - slip + slipped, slipped, worst_case,
            value, index, weight, reward, successors, weights, constant, values,
        )  # fmt: skip
        largest = max(largest, abs(value - values[s + size]))
        values[s + size] = value
    return np.float64(largest)


@kernel
def improve_all(
    worker: int, workers: int, state: SweepState, static: StaticWidth, gamma: float,
    packed: Packed, reward: Float32, slip: float, worst_case: float, steps: Float32,
    choice: Int32, system: PolicySystem,
) -> None:  # fmt: skip
    """Improve part by part in all blocks, as one of several workers."""
    for part in range(state.parts):
        for block in range(worker, len(state.edges) - 1, workers):
            lo, hi = part_of(state, block, part)
            change = _improve_part(
                lo, hi, static, gamma, packed, reward, slip, worst_case, steps, choice, system
            )
            record_change(state, block, part, change)
        if not exchange(worker, workers, state, part, system.place, system.solution):
            return
