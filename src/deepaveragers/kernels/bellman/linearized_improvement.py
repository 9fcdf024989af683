"""Policy improvement in float32 with slip and worst cases, over the packed MDP.

Such a backup is no single row of the transition matrix: it mixes the best action with the mean of
all (slip), and the average neighbour with the worst (`reference` has the equations). A sweep
writes, for every state, a row that agrees with the backup at the values at hand,

    x(s) = (T V (s) - sum_j b_j V(j)) + sum_j b_j x(j).

That is Newton's method. With n available actions, slip p and worst case w, the best action has
b_j = gamma (1 - p + p / n) ((1 - w) alpha_j + w [j is the worst]). Every other one has gamma p / n
on its nearest neighbour only. So rows are k + A wide instead of k A; they are exact for values
that all move alike, and the next sweep mends the rest. `packed` says how rows are counted.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Float32, Int32
from ..jit import fused, inlined, kernel
from .backup import price_of
from .packed import Packed
from .policy_system import PolicySystem, solve_for_itself
from .problem import Problem
from .static_width import StaticWidth
from .sweep_state import SweepState, exchange, part_of, record_change


@kernel
def reward_of_neighbors(
    lo: int, hi: int, problem: Problem, graph: Problem, order: Int32, neighbor_reward: Float32
) -> None:
    """Write r - c d of each neighbour, less the action's penalty, of a block; see `packed`.

    Rows of [N, A, k] are packed ones; inf where there is no neighbour, or the episode ended.
    """
    indices, distances, rewards = graph.indices, graph.distances, graph.rewards
    terminal, penalties = problem.terminal, problem.penalties
    cost, adaptive = problem.cost, problem.adaptive
    size, actions, k = neighbor_reward.shape
    penalty_stride = 1 if penalties.shape[0] > 1 else 0
    for row in range(size - hi, size - lo):
        p = size - 1 - row
        s = order[p] if len(order) > 0 else p
        for a in range(actions):
            price = price_of(indices, rewards, s, a, k, cost, adaptive)
            penalty = penalties[p * penalty_stride, a]
            for j in range(k):
                i = indices[s, a, j]
                neighbor_reward[row, a, j] = np.inf
                if i >= 0 and not terminal[p]:
                    paid = price * np.float64(distances[s, a, j])
                    neighbor_reward[row, a, j] = rewards[i] - paid - penalty


@inlined
def _write_row(
    p: int, row: int, chosen: int, k: int, gamma: float, followed: float, slipped: float,
    worst_case: float, value: float, neighbor_reward: Float32, index: Int32, weight: Float32,
    reward: Float32, successors: Int32, weights: Float32, constant: Float32, values: Float32,
) -> None:  # fmt: skip
    """Write the row that agrees with the value; solved for the state's own.

    `followed` and `slipped` are the probabilities of the best action and of each other one.
    """
    rest, width, worst, least = value, successors.shape[1], -1, np.float32(np.inf)
    if worst_case > 0.0:
        for j in range(k):
            i = index[row, chosen, j]
            outcome = neighbor_reward[row, chosen, j] + gamma * values[np.uint32(i)]
            if outcome < least:
                least, worst = outcome, j
    for j in range(k):
        part = (np.float32(1.0) - worst_case) * weight[row, chosen, j]
        if j == worst:
            part += worst_case
        part *= gamma * followed
        i = index[row, chosen, j]
        rest -= part * values[np.uint32(i)]
        successors[p, j], weights[p, j] = i, part
    for a in range(width - k):
        there = weight[row, a, 0] > 0.0 and reward[row, a] > -np.inf
        part = gamma * slipped if there and a != chosen else np.float32(0.0)
        i = index[row, a, 0]
        rest -= part * values[np.uint32(i)]
        successors[p, k + a], weights[p, k + a] = i, part
    constant[p] = rest
    solve_for_itself(p, width, successors, weights, constant)


@fused
def _improve_part(
    lo: int, hi: int, static: StaticWidth, gamma: float, packed: Packed, reward: Float32,
    slip: float, worst_case: float, neighbor_reward: Float32, choice: Int32, system: PolicySystem,
) -> float:  # fmt: skip
    """Sweep over positions lo..hi, as the plain improvement does, and write rows that agree.

    `neighbor_reward` [N, A, k] is that of `reward_of_neighbors`, empty without a worst case.
    """
    index, weight = packed.successors, packed.weight
    successors, weights, constant, values, _ = system
    size, actions, any_k = weight.shape
    k = len(static) if len(static) > 0 else any_k
    one, largest = np.float32(1.0), np.float32(0.0)
    for row in range(np.uint64(size - hi), np.uint64(size - lo)):
        p = size - 1 - np.int64(row)
        best, chosen = np.float32(-np.inf), 0
        summed, count = np.float32(0.0), np.float32(0.0)
        for a in range(actions):
            future, least = np.float32(0.0), np.float32(np.inf)
            for j in range(k):
                ahead = gamma * values[np.uint32(index[row, a, j])]
                future += weight[row, a, j] * ahead
                if worst_case > 0.0:
                    least = min(least, neighbor_reward[row, a, j] + ahead)
            q = reward[row, a] + future
            if least < np.inf:
                q = (one - worst_case) * q + worst_case * least
            # Not there: -inf, or NaN = 0 * -inf where the worst case is 1, which is not > either.
            there = q > -np.inf
            summed += q if there else np.float32(0.0)
            count += one if there else np.float32(0.0)
            if q > best:
                best, chosen = q, a
        value = (one - slip) * best + slip * (summed / count)
        choice[p], slipped = chosen, slip / count
        _write_row(
            p, row, chosen, k, gamma, one - slip + slipped, slipped, worst_case, value,
            neighbor_reward, index, weight, reward, successors, weights, constant, values,
        )  # fmt: skip
        largest = max(largest, abs(value - values[p + size]))
        values[p + size] = value
    return np.float64(largest)


@kernel
def improve_all(
    worker: int, workers: int, state: SweepState, static: StaticWidth, gamma: float,
    packed: Packed, reward: Float32, slip: float, worst_case: float, neighbor_reward: Float32,
    choice: Int32, system: PolicySystem,
) -> None:  # fmt: skip
    """Improve part by part in all blocks, as one of several workers."""
    for part in range(state.parts):
        for block in range(worker, len(state.edges) - 1, workers):
            lo, hi = part_of(state, block, part)
            change = _improve_part(
                lo, hi, static, gamma, packed, reward, slip, worst_case, neighbor_reward,
                choice, system,
            )  # fmt: skip
            record_change(state, block, part, change)
        if not exchange(worker, workers, state, part, system.place, system.solution):
            return
