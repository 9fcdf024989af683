"""Kernels that write the MDP as a table in float32, and sweep over it once in float64.

`tabulate` writes successors, alpha and mean distances once for all objectives, `expect` the
mean rewards once for those that have the same rewards, `price` R for one. They compute in
float64 and round once, when they store: `solvers.certificate` counts on it.

Row p stands for state order[p], and rank[order[p]] = p; both are empty where states keep their
names. Vectors of length 2N have two halves as in `kernels.cpu`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float32, Float64, Int32
from .cpu import NO_ACTION, Lanes, kernel, largest_reward
from .llvm import ROWS_AHEAD, prefetch_row
from .model import DISTANCE_OFFSET, Model


@kernel
def tabulate(
    lo: int, hi: int, lanes: Lanes, model: Model, graph: Model, order: Int32, rank: Int32,
    index: Int32, weight: Float32, distance: Float32, mean: Float32,
) -> float:  # fmt: skip
    """Write the table of a block of rows.

    Args:
        lo: first row of the block.
        hi: one past its last row.
        lanes: as long as k, or empty for any k.
        model: the MDP in the order of visiting; its graph is not read.
        graph: the MDP with its states' own names; only its graph is read.
        order: [N], or empty.
        rank: [N], or empty.
        index: [N, A, k] written: where a sweep finds the successors' values in [2N]; those of
            the block's own states in the second half.
        weight: [N, A, k] written, alpha: adds up to 1, or to 0 where the action has no
            neighbour or the episode ended.
        distance: [N, A] written, the sum of alpha times distance.
        mean: [N, A] written, as by `expect`.

    Returns:
        the largest distance.
    """
    indices, distances = graph.indices, graph.distances
    terminal, rewards, uniform = model.terminal, model.rewards, model.uniform
    size, actions, any_k = weight.shape
    k = len(lanes) if len(lanes) > 0 else any_k
    renamed = len(order) > 0
    parts = np.empty(any_k)
    farthest = np.float32(0.0)
    for p in range(lo, hi):
        if renamed and p + ROWS_AHEAD < hi:
            prefetch_row(indices, order[p + ROWS_AHEAD])
            prefetch_row(distances, order[p + ROWS_AHEAD])
        s = order[p] if renamed else p
        for a in range(actions):
            mass, summed, value = 0.0, 0.0, 0.0
            for j in range(k):
                missing = indices[s, a, j] < 0 or terminal[p]
                far = np.float32(0.0) if missing else distances[s, a, j]
                part = 1.0 if uniform else 1.0 / (np.float64(far) + DISTANCE_OFFSET)
                parts[j] = 0.0 if missing else part
                mass += parts[j]
                summed += parts[j] * np.float64(far)
                farthest = max(farthest, far)
            grown = 1.0 / mass if mass > 0.0 else 0.0
            for j in range(k):
                i = max(indices[s, a, j], 0)
                if renamed:
                    i = rank[np.uint32(i)]
                share = np.float32(parts[j] * grown)
                value += np.float64(share) * rewards[np.uint32(i)]
                own = np.uint32(i - lo) < np.uint32(hi - lo)
                index[p, a, j] = i + size if own else i
                weight[p, a, j] = share
            distance[p, a] = summed * grown
            mean[p, a] = value if mass > 0.0 or terminal[p] else -np.inf
    return np.float64(farthest)


@kernel
def expect(
    lo: int, hi: int, lanes: Lanes, model: Model, index: Int32, weight: Float32, mean: Float32
) -> None:  # fmt: skip
    """Write the mean rewards of a block of a table that was made with others.

    Args:
        lo: first row of the block.
        hi: one past its last row.
        lanes: as long as k, or empty for any k.
        model: the MDP; its graph is not read.
        index: [N, A, k] from `tabulate`.
        weight: [N, A, k] from `tabulate`.
        mean: [N, A] written; -inf where the action has no neighbour, 0 where the episode ended.
    """
    _, actions, any_k = weight.shape
    k = len(lanes) if len(lanes) > 0 else any_k
    terminal, rewards = model.terminal, model.rewards
    size = len(rewards)
    for p in range(lo, hi):
        for a in range(actions):
            mass, value = 0.0, 0.0
            for j in range(k):
                i, share = index[p, a, j], np.float64(weight[p, a, j])
                value += share * rewards[np.uint32(i - size if i >= size else i)]
                mass += share
            mean[p, a] = value if mass > 0.0 or terminal[p] else -np.inf


@kernel
def price(
    lo: int, hi: int, model: Model, graph: Model, order: Int32, mean: Float32, distance: Float32,
    reward: Float32, values: Float32,
) -> tuple[float, int]:  # fmt: skip
    """Write R [N, A] and V = max_a R of a block.

    Args:
        lo: first row of the block.
        hi: one past its last row.
        model: the MDP in the order of visiting, with neither slip nor worst case nor policy;
            its graph is not read.
        graph: the MDP with its states' own names, which adaptive penalties need.
        order: [N], or empty.
        mean: [N, A] from `tabulate` or `expect`.
        distance: [N, A] from `tabulate`.
        reward: [N, A] written; -inf where the action is not available.
        values: [2N], both halves written.

    Returns:
        the largest |max_a R|, and the number of states without an action.
    """
    allowed, penalties = model.allowed, model.penalties
    size, actions = mean.shape
    every_row = 1 if allowed.shape[0] > 1 else 0
    scale, stuck = 0.0, 0
    cost = model.cost
    for p in range(lo, hi):
        best = np.float32(-np.inf)
        for a in range(actions):
            if model.adaptive > 0.0:
                s = order[p] if len(order) > 0 else p
                largest = largest_reward(graph.indices, s, a, model.k, graph.rewards)
                cost = model.adaptive * largest
            value = np.float64(mean[p, a]) - cost * np.float64(distance[p, a]) - penalties[a]
            if model.terminal[p]:
                value = 0.0
            elif not allowed[p * every_row, a]:
                value = -np.inf
            reward[p, a] = value
            best = max(best, reward[p, a])
        if best == -np.inf:
            stuck += 1
            continue
        scale = max(scale, np.float64(abs(best)))
        values[p] = best
        values[p + size] = best
    return scale, stuck


@kernel
def settle(lo: int, hi: int, terminal: Bool, values: Float32) -> tuple[float, float]:
    """Make both halves of V [2N] agree, 0 where the episode ended; return its range.

    Infinite, and the halves as they were, where V is not finite.
    """
    size = len(terminal)
    smallest, largest = np.float32(np.inf), np.float32(-np.inf)
    for p in range(lo, hi):
        value = np.float32(0.0) if terminal[p] else values[p + size]
        if not abs(value) < np.inf:
            return -np.inf, np.inf
        values[p] = value
        values[p + size] = value
        smallest = min(smallest, value)
        largest = max(largest, value)
    return np.float64(smallest), np.float64(largest)


@kernel
def back_up(
    lo: int, hi: int, lanes: Lanes, gamma: float, middle: float, terminal: Bool, order: Int32,
    index: Int32, weight: Float32, reward: Float32, values: Float32,
    result: Float64, q_values: Float64, choice: Int32,
) -> tuple[float, float]:  # fmt: skip
    """Apply the Bellman operator to a block by the table, in float64 (Jacobi).

    Args:
        lo: first row of the block.
        hi: one past its last row.
        lanes: as long as k, or empty for any k.
        gamma: discount.
        middle: of the range of V: what weights lack to add up to 1 counts as so much.
        terminal: [N].
        order: [N], or empty.
        index: [N, A, k] from `tabulate`.
        weight: [N, A, k] from `tabulate`.
        reward: [N, A] from `price`.
        values: [2N] V, from `settle`.
        result: [N] written, T V.
        q_values: [N, A] written, rows under the states' own names.
        choice: [N] written, the best action; `NO_ACTION` where the episode ended.

    Returns:
        the smallest and the largest change of a value; infinite where V is not finite.
    """
    _, actions, any_k = weight.shape
    k = len(lanes) if len(lanes) > 0 else any_k
    smallest, largest = np.inf, -np.inf
    for p in range(lo, hi):
        s = order[p] if len(order) > 0 else p
        best, chosen = -np.inf, NO_ACTION
        for a in range(actions):
            future = 0.0
            for j in range(k):
                value = np.float64(values[np.uint32(index[p, a, j])])
                future += np.float64(weight[p, a, j]) * (value - middle)
            q = 0.0 if terminal[p] else reward[p, a] + gamma * (future + middle)
            q_values[s, a] = q
            if q > best:
                best = q
                chosen = a
        choice[p] = NO_ACTION if terminal[p] else chosen
        result[p] = best
        if terminal[p]:
            continue
        change = best - np.float64(values[p])
        if not abs(change) < np.inf:
            return -np.inf, np.inf
        smallest = min(smallest, change)
        largest = max(largest, change)
    return smallest, largest
