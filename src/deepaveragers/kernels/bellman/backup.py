"""The Bellman backup in float64, from the neighbour graph; `reference` is the specification.

A kernel works on the core states lo <= s < hi, so threads share a sweep by blocks of states;
machines (`solvers.sharded`) have a part of the graph each, whose first row is state `first`.
A vector of length 2N has two halves as in `sweep_state`; here a block is swept as a whole.

States are visited from the last to the first: core state i leads to i + 1 by the very
transition that was logged, so one sweep carries a value along a whole trajectory.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Float32, Float64, Int32
from ..jit import inlined, kernel
from .problem import DISTANCE_OFFSET, Problem

NO_ACTION = -1


@inlined
def neighbor_weight(uniform: bool, distance: float) -> float:
    """Return the weight of a neighbour before weights are made to add up to 1."""
    return 1.0 if uniform else 1.0 / (distance + DISTANCE_OFFSET)


@inlined
def price_of(
    indices: Int32, rewards: Float64, s: int, a: int, k: int, cost: float, adaptive: float
) -> float:
    """Return c(s, a), the price of a unit of distance."""
    result = cost
    if adaptive > 0.0:
        result = 0.0
        for j in range(k):
            i = indices[s, a, j]
            if i >= 0:
                result = max(result, adaptive * rewards[i])
    return result


@inlined
def action_value(
    indices: Int32, distances: Float32, s: int, a: int, k: int, uniform: bool, price: float,
    worst_case: float, gains: Float64, size: int, lo: int, length: int,
) -> tuple[float, float]:  # fmt: skip
    """Return Q(s, a) without its penalty, -inf if it has no neighbours, and the farthest of these.

    `gains` [2N] is r + gamma V; states lo..lo+length are read from its second half.
    """
    total, mass, farthest, least, q = 0.0, 0.0, 0.0, np.inf, -np.inf
    for j in range(k):
        i = indices[s, a, j]
        if i < 0:
            continue
        distance = np.float64(distances[s, a, j])
        weight = neighbor_weight(uniform, distance)
        # Unsigned, so that numba need not ask whether the place is counted from the end.
        place = np.uint32(i)
        if np.uint32(i - lo) < np.uint32(length):
            place += np.uint32(size)
        outcome = gains[place] - price * distance
        total += weight * outcome
        least = min(least, outcome)
        mass += weight
        farthest = max(farthest, distance)
    if mass > 0.0:
        q = total / mass
        if worst_case > 0.0:
            q = (1.0 - worst_case) * q + worst_case * least
    return q, farthest


@kernel
def backup(
    lo: int, hi: int, first: int, problem: Problem, in_place: bool, gains: Float64,
    values: Float64, q_values: Float64, choice: Int32,
) -> tuple[float, float, float, int]:  # fmt: skip
    """Apply the Bellman operator to the rows lo..hi of a block, in place or not.

    Row 0 is state `first` (of one machine's arrays). Rewards are those of all states. `gains` [2N]
    is r + gamma V, both halves up to date; in place it may be [N], both in one. Its second half,
    V, Q [., A] and the best actions of the rows are written.

    Returns:
        the smallest and largest change, the largest price x distance, the states without action.
    """
    # Fields are read here: read in a loop, each would count references to its array.
    indices, distances, rewards = problem.indices, problem.distances, problem.rewards
    terminal, allowed, penalties = problem.terminal, problem.allowed, problem.penalties
    k, uniform, worst_case, slip = problem.k, problem.uniform, problem.worst_case, problem.slip
    policy, gamma, cost, adaptive = problem.policy, problem.gamma, problem.cost, problem.adaptive
    actions, half = q_values.shape[1], len(gains) - len(rewards)
    # Where all states share one row of [1, A], s * 0 is that row.
    allowed_stride = 1 if allowed.shape[0] > 1 else 0
    penalty_stride = 1 if penalties.shape[0] > 1 else 0
    policy_given, length = len(policy) > 0, hi - lo if in_place else 0
    smallest, largest, distance_cost, stuck = np.inf, -np.inf, 0.0, 0
    for s in range(hi - 1, lo - 1, -1):
        if terminal[s]:
            for a in range(actions):
                q_values[s, a] = 0.0
            choice[s] = NO_ACTION
            continue
        best, chosen, count, summed, followed = -np.inf, NO_ACTION, 0, 0.0, 0.0
        for a in range(actions):
            q = -np.inf
            if allowed[s * allowed_stride, a]:
                price = price_of(indices, rewards, s, a, k, cost, adaptive)
                q, farthest = action_value(
                    indices, distances, s, a, k, uniform, price, worst_case,
                    gains, half, first + lo, length,
                )  # fmt: skip
                q -= penalties[s * penalty_stride, a]
                distance_cost = max(distance_cost, price * farthest)
            q_values[s, a] = q
            if q > -np.inf:
                count += 1
                summed += q
                if policy_given:
                    followed += policy[s, a] * q
            if q > best:
                best, chosen = q, a
        choice[s] = chosen
        if chosen == NO_ACTION:
            stuck += 1
            continue
        value = followed if policy_given else (1.0 - slip) * best
        if slip > 0.0 and not policy_given:
            value += slip * summed / count
        change, values[s] = value - values[s], value
        smallest, largest = min(smallest, change), max(largest, change)
        gains[first + s + half] = rewards[first + s] + gamma * value
    return smallest, largest, distance_cost, stuck
