"""Planning kernels for the CPU; `kernels.reference` is their specification.

Each works on the core states lo <= s < hi, so threads share a sweep by blocks of states.
They never release partial results to each other: a vector of length 2N holds what all
blocks agreed on after the last sweep (first half) and what this sweep has found so far
(second half). A block reads its own states from the second half (Gauss-Seidel) and those
of other blocks from the first (Jacobi). So the bits do not depend on timing.

States are visited from the last to the first: core state i leads to i + 1 by the very
transition that was logged, so one sweep carries a value along a whole trajectory.

`parallel=True` is not used: compiling stays short, and a forked child stays safe.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from ..arrays import Float32, Float64, Int32
from .model import DISTANCE_OFFSET, Model

kernel = numba.njit(nogil=True, cache=True, error_model="numpy")
fused = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
"""A product and the sum it is added to are rounded once: for guesses in float32, which get half as
noisy. Bits then depend on the processor."""
inlined = numba.njit(nogil=True, cache=True, error_model="numpy", inline="always")
NO_ACTION = -1

Lanes = tuple[int, ...]
"""A tuple whose length is a number that the compiler shall know, so that it unrolls a loop."""
LONGEST_UNROLLED = 8


def lanes_of(width: int) -> Lanes:
    """Return the lanes of rows of this width: empty where they are too long to unroll."""
    return (0,) * width if width <= LONGEST_UNROLLED else ()


@inlined
def _weight(uniform: bool, distance: float) -> float:
    return 1.0 if uniform else 1.0 / (distance + DISTANCE_OFFSET)


@inlined
def largest_reward(indices: Int32, s: int, a: int, k: int, rewards: Float64) -> float:
    """Return the largest reward among the neighbours of (s, a), at least 0."""
    largest = 0.0
    for j in range(k):
        if indices[s, a, j] >= 0:
            largest = max(largest, rewards[indices[s, a, j]])
    return largest


@inlined
def _average(
    indices: Int32, distances: Float32, s: int, a: int, k: int, uniform: bool,
    price: float, gains: Float64, size: int, low: int, length: int,
) -> tuple[float, float, float]:  # fmt: skip
    """Return the sum of weighted outcomes of (s, a), that of weights, and the farthest distance.

    `gains` [2N] is r + gamma V; states low..low+length are read from its second half.
    """
    total, mass, farthest = 0.0, 0.0, 0.0
    for j in range(k):
        i = indices[s, a, j]
        if i < 0:
            continue
        distance = np.float64(distances[s, a, j])
        weight = _weight(uniform, distance)
        place = np.uint32(i)
        if np.uint32(i - low) < np.uint32(length):
            place += np.uint32(size)
        total += weight * (gains[place] - price * distance)
        mass += weight
        farthest = max(farthest, distance)
    return total, mass, farthest


@inlined
def _worst(
    indices: Int32, distances: Float32, s: int, a: int, k: int,
    price: float, gains: Float64, size: int, low: int, length: int,
) -> tuple[float, int]:  # fmt: skip
    """Return the smallest outcome of (s, a), and which neighbour it is."""
    least, worst = np.inf, 0
    for j in range(k):
        i = indices[s, a, j]
        if i < 0:
            continue
        place = np.uint32(i)
        if np.uint32(i - low) < np.uint32(length):
            place += np.uint32(size)
        outcome = gains[place] - price * np.float64(distances[s, a, j])
        if outcome < least:
            least = outcome
            worst = j
    return least, worst


@kernel
def improve(
    lo: int,
    hi: int,
    model: Model,
    in_place: bool,
    gains: Float64,
    values: Float64,
    q_values: Float64,
    choice: Int32,
) -> tuple[float, float, float, int]:
    """Apply the Bellman operator to a block.

    Args:
        lo: first state of the block.
        hi: one past its last state.
        model: the MDP.
        in_place: Gauss-Seidel within the block; otherwise Jacobi.
        gains: [2N] r + gamma V, both halves up to date; the second half is written.
        values: [N] V, written.
        q_values: [N, A], written.
        choice: [N] the best action, written; `NO_ACTION` where the episode ended.

    Returns:
        the smallest and the largest change of a value, the largest distance penalty,
        and the number of states without any action.
    """
    size, actions = q_values.shape
    indices, distances, rewards = model.indices, model.distances, model.rewards
    terminal, allowed, penalties, policy = (
        model.terminal, model.allowed, model.penalties, model.policy,
    )  # fmt: skip
    k, gamma, uniform, slip, worst_case = (
        model.k, model.gamma, model.uniform, model.slip, model.worst_case,
    )  # fmt: skip
    adaptive = model.adaptive
    evaluate = policy.shape[0] > 0
    every_row = 1 if allowed.shape[0] > 1 else 0
    length = hi - lo if in_place else 0
    smallest, largest, penalty, stuck = np.inf, -np.inf, 0.0, 0
    price = model.cost
    for step in range(hi - lo):
        s = hi - 1 - step
        if terminal[s]:
            for a in range(actions):
                q_values[s, a] = 0.0
            choice[s] = NO_ACTION
            continue
        best, chosen, count, summed, followed = -np.inf, NO_ACTION, 0, 0.0, 0.0
        for a in range(actions):
            q = -np.inf
            if allowed[s * every_row, a]:
                if adaptive > 0.0:
                    price = adaptive * largest_reward(indices, s, a, k, rewards)
                total, mass, farthest = _average(
                    indices, distances, s, a, k, uniform, price, gains, size, lo, length
                )
                penalty = max(penalty, price * farthest)
                if mass > 0.0:
                    q = total / mass
                    if worst_case > 0.0:
                        least, _ = _worst(
                            indices, distances, s, a, k, price, gains, size, lo, length
                        )
                        q = (1.0 - worst_case) * q + worst_case * least
                    q -= penalties[a]
            q_values[s, a] = q
            if q > -np.inf:
                count += 1
                summed += q
                if evaluate:
                    followed += policy[s, a] * q
            if q > best:
                best = q
                chosen = a
        choice[s] = chosen
        if chosen == NO_ACTION:
            stuck += 1
            continue
        if evaluate:
            best = followed
        elif slip > 0.0:
            best = (1.0 - slip) * best + slip * summed / count
        change = best - values[s]
        smallest = min(smallest, change)
        largest = max(largest, change)
        values[s] = best
        gains[s + size] = rewards[s] + gamma * best
    return smallest, largest, penalty, stuck


@inlined
def _write_row(
    indices: Int32, distances: Float32, s: int, a: int, k: int, uniform: bool,
    price: float, gains: Float64, size: int, low: int, length: int,
    row: int, index: Int32, weight: Float32,
) -> tuple[float, float]:  # fmt: skip
    """Write successors and weights of (s, a) from `row` on; return sums as `_average` does."""
    total, mass = 0.0, 0.0
    for j in range(k):
        i = indices[s, a, j]
        if i < 0:
            index[s, row + j] = s
            weight[s, row + j] = 0.0
            continue
        distance = np.float64(distances[s, a, j])
        part = _weight(uniform, distance)
        total += part * (gains[np.uint32(i)] - price * distance)
        mass += part
        weight[s, row + j] = part
        index[s, row + j] = i + size if np.uint32(i - low) < np.uint32(length) else i
    return total, mass


@inlined
def _eliminate_itself(s: int, own: int, width: int, index: Int32, weight: Float32) -> float:
    """Solve row s for the state's own value; return what its right-hand side grows by."""
    itself = 0.0
    for j in range(width):
        if index[s, j] == own:
            itself += weight[s, j]
            weight[s, j] = 0.0
            index[s, j] = s
    if itself == 0.0:
        return 1.0
    grown = 1.0 / (1.0 - itself)
    for j in range(width):
        weight[s, j] *= grown
    return grown


@kernel
def linearize(
    lo: int,
    hi: int,
    model: Model,
    gains: Float64,
    values: Float64,
    choice: Int32,
    index: Int32,
    weight: Float32,
    residual: Float32,
) -> float:
    """Write the compact rows of the chosen policy, and what its operator still changes.

    With P the policy's rows, T_pi V - V goes to `residual` [N], gamma P to `index` and
    `weight` [N, W]. Rows are solved for the state's own value, so that a state that leads to
    itself takes one sweep, not 1 / (1 - gamma). The states of the block are addressed in
    the second half, as `relax` reads them.

    Returns:
        the largest absolute residual.
    """
    size, width = index.shape
    actions = model.indices.shape[1]
    indices, distances, rewards = model.indices, model.distances, model.rewards
    allowed, penalties, policy = model.allowed, model.penalties, model.policy
    k, gamma, uniform, slip, worst_case = (
        model.k, model.gamma, model.uniform, model.slip, model.worst_case,
    )  # fmt: skip
    adaptive = model.adaptive
    evaluate = policy.shape[0] > 0
    every_row = 1 if allowed.shape[0] > 1 else 0
    price = model.cost
    largest = 0.0
    for s in range(lo, hi):
        if choice[s] == NO_ACTION:
            residual[s] = 0.0
            for j in range(width):
                index[s, j] = s
                weight[s, j] = 0.0
            continue
        first, end, count = choice[s], choice[s] + 1, 1
        if width > k:
            first, end, count = 0, actions, 0
            for a in range(actions):
                if allowed[s * every_row, a] and indices[s, a, :k].max() >= 0:
                    count += 1
        backup = 0.0
        for a in range(first, end):
            row = (a - first) * k
            if adaptive > 0.0:
                price = adaptive * largest_reward(indices, s, a, k, rewards)
            total, mass = _write_row(
                indices, distances, s, a, k, uniform, price, gains, size, lo, hi - lo,
                row, index, weight,
            )  # fmt: skip
            share = policy[s, a] if evaluate else slip / count
            if not evaluate and a == choice[s]:
                share += 1.0 - slip
            if mass == 0.0 or not allowed[s * every_row, a]:
                for j in range(row, row + k):
                    weight[s, j] = 0.0
                continue
            q = total / mass
            scale = gamma * share * (1.0 - worst_case) / mass
            for j in range(row, row + k):
                weight[s, j] *= scale
            if worst_case > 0.0:
                least, worst = _worst(indices, distances, s, a, k, price, gains, size, 0, 0)
                q = (1.0 - worst_case) * q + worst_case * least
                weight[s, row + worst] += gamma * share * worst_case
            backup += share * (q - penalties[a])
        grown = _eliminate_itself(s, s + size, width, index, weight)
        residual[s] = grown * (backup - values[s])
        largest = max(largest, grown * abs(backup - values[s]))
    return largest


@fused
def relax(
    lo: int,
    hi: int,
    lanes: Lanes,
    index: Int32,
    weight: Float32,
    residual: Float32,
    correction: Float32,
) -> float:
    """Sweep once over e = residual + gamma P e, by Gauss-Seidel within a block.

    Args:
        lo: first state of the part to sweep.
        hi: one past its last state.
        lanes: as long as W, or empty for any W.
        index: [N, W] from `linearize`, which tells what half to read.
        weight: [N, W] from `linearize`.
        residual: [N] from `linearize`.
        correction: [2N] e; the second half is written.

    Returns:
        the largest absolute change.
    """
    size, any_width = index.shape
    width = len(lanes) if len(lanes) > 0 else any_width
    largest = np.float32(0.0)
    for step in range(hi - lo):
        s = hi - 1 - step
        value = residual[s]
        # The nearest last: it is often the state just visited, and nothing else waits for it.
        for j in range(width - 1, -1, -1):
            value += weight[s, j] * correction[np.uint32(index[s, j])]
        largest = max(largest, abs(value - correction[s + size]))
        correction[s + size] = value
    return np.float64(largest)


@kernel
def advance(
    lo: int, hi: int, model: Model, correction: Float32, values: Float64, gains: Float64
) -> None:
    """Add the correction's new half to the values, and refresh both halves of the gains."""
    rewards, terminal, gamma = model.rewards, model.terminal, model.gamma
    size = rewards.shape[0]
    for s in range(lo, hi):
        if not terminal[s]:
            values[s] += np.float64(correction[s + size])
        gain = rewards[s] + gamma * values[s]
        gains[s] = gain
        gains[s + size] = gain
        correction[s] = 0.0
        correction[s + size] = 0.0


@kernel
def adopt(lo: int, hi: int, q_values: Float64, preferred: Float64, choice: Int32) -> None:
    """Choose by `preferred` [N, A] among the actions that are finite in `q_values` [N, A]."""
    for s in range(lo, hi):
        best = -np.inf
        for a in range(q_values.shape[1]):
            if choice[s] != NO_ACTION and q_values[s, a] > -np.inf and preferred[s, a] > best:
                best = preferred[s, a]
                choice[s] = a


def publish(lo: int, hi: int, both: Any) -> None:
    """Let the other blocks see what this one found: copy its second half to the first."""
    size = len(both) // 2
    both[lo:hi] = both[size + lo : size + hi]
