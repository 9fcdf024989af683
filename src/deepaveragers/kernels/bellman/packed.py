"""The packed MDP: successors, weights and mean rewards in float32, as they are visited.

`pack_graph` writes what all objectives have in common, `pack_rewards` the mean rewards of those
with the same rewards, `reward_of_actions` R for one. They compute in float64 and round once,
when they store: `solvers.certificate` counts on it.

Kernels work on the positions lo <= p < hi of a block. Position p stands for state order[p], and
rank[order[p]] = p; both are empty where states keep their order. `problem` is the MDP by position,
without its graph; `graph` is the MDP with its states in their own order. `static` is as long as k,
or empty for any k. Vectors of length 2N have two halves as in `sweep_state`.

Sweeps visit the last position first. So the packed rows stand the other way round, position p in
row N - 1 - p: processors fetch ahead what is read upwards. Rows are counted by unsigned numbers in
sweeps: a signed one might count from an array's end, for which numba asks at every read. Positions
are signed again, np.int64(row): a signed number less an unsigned one is a float.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Bool, Float32, Float64, Int32
from ..jit import kernel
from .backup import NO_ACTION, neighbor_weight, price_of
from .problem import Problem
from .static_width import StaticWidth


class Packed(NamedTuple):
    """The MDP as arrays; position p stands in row N - 1 - p of those of actions.

    Attributes:
        successors: [N, A, k] int32, where a sweep finds their values in [2N]; those of states
            in the same part of a block in the second half.
        weight: [N, A, k] float32, alpha: adds up to 1, or to 0 where the action has no
            neighbour or the episode ended.
        mean_distance: [N, A] float32.
        mean_reward: [N, A] float32; -inf where the action has no neighbour, 0 where
            the episode ended.
        place: [N] int32, where the value of a state stands in the first half.
    """

    successors: Int32
    weight: Float32
    mean_distance: Float32
    mean_reward: Float32
    place: Int32


@kernel
def pack_graph(
    lo: int, hi: int, static: StaticWidth, problem: Problem, graph: Problem, order: Int32,
    rank: Int32, packed: Packed,
) -> float:  # fmt: skip
    """Write the rows of a part of a block; return the largest distance."""
    indices, distances, rewards = graph.indices, graph.distances, problem.rewards
    index, weight, mean_distance, mean_reward, place = packed
    size, actions, any_k = weight.shape
    k = len(static) if len(static) > 0 else any_k
    reordered, uniform, terminal = len(order) > 0, problem.uniform, problem.terminal
    raw, farthest = np.empty(any_k), np.float32(0.0)
    for p in range(lo, hi):
        s, ended, row = order[p] if reordered else p, terminal[p], size - 1 - p
        for a in range(actions):
            mass, summed, value = 0.0, 0.0, 0.0
            for j in range(k):
                missing = indices[s, a, j] < 0 or ended
                far = np.float32(0.0) if missing else distances[s, a, j]
                alone = neighbor_weight(uniform, np.float64(far))
                raw[j] = 0.0 if missing else alone
                mass += raw[j]
                summed += raw[j] * np.float64(far)
                farthest = max(farthest, far)
            grown = 1.0 / mass if mass > 0.0 else 0.0
            for j in range(k):
                i = max(indices[s, a, j], 0)
                if reordered:
                    i = rank[np.uint32(i)]
                share = np.float32(raw[j] * grown)
                value += np.float64(share) * rewards[np.uint32(i)]
                own = np.uint32(i - lo) < np.uint32(hi - lo)
                index[row, a, j] = i + size if own else place[np.uint32(i)]
                weight[row, a, j] = share
            mean_distance[row, a] = summed * grown
            mean_reward[row, a] = value if mass > 0.0 or ended else -np.inf
    return np.float64(farthest)


def pack_rewards(lo: int, hi: int, problem: Problem, rewards: Float64, packed: Packed) -> None:
    """Write the mean rewards of a block of an MDP that was packed with other rewards.

    `rewards` [2N] stand where sweeps find the values of their states.
    """
    rows = slice(problem.size - hi, problem.size - lo)
    weight = packed.weight[rows].astype(np.float64)
    there = weight.any(axis=2) | problem.terminal[lo:hi][::-1, None]
    mean = np.einsum("pak,pak->pa", weight, rewards[packed.successors[rows]])
    packed.mean_reward[rows] = np.where(there, mean, -np.inf)


@kernel
def reward_of_actions(
    lo: int, hi: int, problem: Problem, graph: Problem, order: Int32, packed: Packed,
    reward: Float32, values: Float32,
) -> tuple[float, int]:  # fmt: skip
    """Write R [N, A], without slip and worst case, and V = max_a R to both halves of [2N].

    Rows of R are packed ones. R is -inf where the action is not available. Adaptive penalties
    need the graph.

    Returns:
        the largest |max_a R|, and the number of states without an action.
    """
    allowed, terminal, penalties = problem.allowed, problem.terminal, problem.penalties
    indices, rewards, k = graph.indices, graph.rewards, problem.k
    cost, adaptive = problem.cost, problem.adaptive
    size, actions = reward.shape
    _, _, mean_distance, mean_reward, place = packed
    allowed_stride = 1 if allowed.shape[0] > 1 else 0
    penalty_stride = 1 if penalties.shape[0] > 1 else 0
    scale, stuck = 0.0, 0
    for row in range(size - hi, size - lo):
        p = size - 1 - row
        best = np.float32(-np.inf)
        for a in range(actions):
            value = 0.0
            if not terminal[p]:
                s = order[p] if len(order) > 0 else p
                price = price_of(indices, rewards, s, a, k, cost, adaptive)
                paid = price * np.float64(mean_distance[row, a])
                paid += penalties[p * penalty_stride, a]
                value = np.float64(mean_reward[row, a]) - paid
                if not allowed[p * allowed_stride, a]:
                    value = -np.inf
            reward[row, a] = value
            best = max(best, reward[row, a])
        if best == -np.inf:
            stuck += 1
            continue
        scale = max(scale, np.float64(abs(best)))
        values[place[p]] = best
        values[p + size] = best
    return scale, stuck


@kernel
def backup_packed(
    lo: int, hi: int, static: StaticWidth, gamma: float, middle: float, terminal: Bool,
    packed: Packed, reward: Float32, values: Float32, result: Float64, q_values: Float64,
    choice: Int32,
) -> tuple[float, float]:  # fmt: skip
    """Apply the Bellman operator to a block by the packed MDP, in float64 (Jacobi).

    What weights lack to add up to 1 counts as the middle of the range of V. Both halves of V [2N]
    are the same. T V [N], Q [N, A] and the best actions [N] are written.

    Returns:
        the smallest and the largest change of a value; infinite where V is not finite.
    """
    index, weight = packed.successors, packed.weight
    size, actions, any_k = weight.shape
    k = len(static) if len(static) > 0 else any_k
    smallest, largest = np.inf, -np.inf
    for row in range(np.uint64(size - hi), np.uint64(size - lo)):
        p = size - 1 - np.int64(row)
        best, chosen = -np.inf, NO_ACTION
        for a in range(actions):
            future = 0.0
            for j in range(k):
                value = np.float64(values[np.uint32(index[row, a, j])])
                future += np.float64(weight[row, a, j]) * (value - middle)
            q = 0.0 if terminal[p] else reward[row, a] + gamma * (future + middle)
            q_values[p, a] = q
            if q > best:
                best = q
                chosen = a
        choice[p] = NO_ACTION if terminal[p] else chosen
        result[p] = best
        if terminal[p]:
            continue
        change = best - np.float64(values[p + size])
        if not abs(change) < np.inf:
            return -np.inf, np.inf
        smallest = min(smallest, change)
        largest = max(largest, change)
    return smallest, largest
