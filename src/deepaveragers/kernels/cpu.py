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
NO_ACTION = -1


@kernel
def _weight(uniform: bool, distance: float) -> float:
    return 1.0 if uniform else 1.0 / (distance + DISTANCE_OFFSET)


@kernel
def _count(neighbors: Int32, k: int) -> int:
    """Return how many of the first k neighbours [K] exist."""
    count = 0
    for j in range(k):
        if neighbors[j] >= 0:
            count += 1
    return count


@kernel
def _largest_reward(neighbors: Int32, k: int, rewards: Float64) -> float:
    """Return the largest reward among the first k neighbours [K], at least 0."""
    largest = 0.0
    for j in range(k):
        if neighbors[j] >= 0:
            largest = max(largest, rewards[neighbors[j]])
    return largest


@kernel
def _action_value(
    indices: Int32, distances: Float32, s: int, a: int, k: int, uniform: bool,
    price: float, worst_case: float, gains: Float64, low: int, length: int,
) -> tuple[float, float, float, int]:  # fmt: skip
    """Return Q(s, a) before penalties, the sum of weights, the farthest and worst neighbour.

    `gains` [2N] is r + gamma V; states low..low+length are read from its second half.
    """
    size = np.uint32(gains.shape[0] // 2)
    total, mass, farthest, least, worst = 0.0, 0.0, 0.0, np.inf, -1
    for j in range(k):
        i = indices[s, a, j]
        if i < 0:
            continue
        distance = np.float64(distances[s, a, j])
        weight = _weight(uniform, distance)
        place = np.uint32(i)
        if np.uint32(i - low) < np.uint32(length):
            place += size
        outcome = gains[place] - price * distance
        total += weight * outcome
        mass += weight
        farthest = max(farthest, distance)
        if worst_case > 0.0 and outcome < least:
            least = outcome
            worst = j
    if mass == 0.0:
        return -np.inf, 0.0, 0.0, worst
    value = total / mass
    if worst_case > 0.0:
        value = (1.0 - worst_case) * value + worst_case * least
    return value, mass, farthest, worst


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
                    price = adaptive * _largest_reward(indices[s, a], k, rewards)
                q, _, farthest, _ = _action_value(
                    indices, distances, s, a, k, uniform, price, worst_case, gains, lo, length
                )
                q -= penalties[a]
                penalty = max(penalty, price * farthest)
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


@kernel
def _append_row(
    indices: Int32, distances: Float32, s: int, a: int, k: int, uniform: bool,
    share: float, mass: float, extra: float, worst: int, low: int, length: int,
    size: int, index: Int32, weight: Float32,
) -> None:  # fmt: skip
    """Write share * alpha of (s, a) into [W] rows, and `extra` more for the worst neighbour."""
    for j in range(k):
        i = indices[s, a, j]
        if i < 0:
            index[j] = s
            weight[j] = 0.0
            continue
        part = share / mass * _weight(uniform, np.float64(distances[s, a, j]))
        weight[j] = part + extra if j == worst else part
        index[j] = i + size if np.uint32(i - low) < np.uint32(length) else i


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
                if allowed[s * every_row, a] and _count(indices[s, a], k) > 0:
                    count += 1
        backup = 0.0
        for a in range(first, end):
            row = (a - first) * k
            if not allowed[s * every_row, a] or _count(indices[s, a], k) == 0:
                for j in range(row, row + k):
                    index[s, j] = s
                    weight[s, j] = 0.0
                continue
            share = policy[s, a] if evaluate else slip / count
            if not evaluate and a == choice[s]:
                share += 1.0 - slip
            if adaptive > 0.0:
                price = adaptive * _largest_reward(indices[s, a], k, rewards)
            q, mass, _, worst = _action_value(
                indices, distances, s, a, k, uniform, price, worst_case, gains, 0, 0
            )
            backup += share * (q - penalties[a])
            _append_row(
                indices, distances, s, a, k, uniform, gamma * share * (1.0 - worst_case), mass,
                gamma * share * worst_case, worst, lo, hi - lo,
                size, index[s, row : row + k], weight[s, row : row + k],
            )  # fmt: skip
        scale = _eliminate_itself(s, s + size, index[s], weight[s])
        residual[s] = scale * (backup - values[s])
        largest = max(largest, scale * abs(backup - values[s]))
    return largest


@kernel
def _eliminate_itself(s: int, own: int, index: Int32, weight: Float32) -> float:
    """Solve a row [W] for the state's own value; return what its right-hand side grows by."""
    itself = 0.0
    for j in range(len(index)):
        if index[j] == own:
            itself += weight[j]
            weight[j] = 0.0
            index[j] = s
    if itself == 0.0:
        return 1.0
    scale = 1.0 / (1.0 - itself)
    for j in range(len(index)):
        weight[j] *= scale
    return scale


@kernel
def relax(
    lo: int,
    hi: int,
    sweeps: int,
    index: Int32,
    weight: Float32,
    residual: Float32,
    correction: Float32,
) -> float:
    """Solve e = residual + gamma P e by Gauss-Seidel within a block.

    Args:
        lo: first state of the block.
        hi: one past its last state.
        sweeps: how many sweeps before the blocks meet again.
        index: [N, W] from `linearize`.
        weight: [N, W] from `linearize`.
        residual: [N] from `linearize`.
        correction: [2N] e; the second half is written.

    Returns:
        the largest absolute change in the last sweep.
    """
    size, width = index.shape
    largest = np.float32(0.0)
    for _ in range(sweeps):
        largest = np.float32(0.0)
        for step in range(hi - lo):
            s = hi - 1 - step
            value = residual[s]
            for j in range(width):
                value += weight[s, j] * correction[np.uint32(index[s, j])]
            largest = max(largest, abs(value - correction[s + size]))
            correction[s + size] = value
    return np.float64(largest)


@kernel
def remember(lo: int, hi: int, correction: Float32, kept: Float32, moved: Float32) -> None:
    """Keep the new half of the correction, and its change, in [N] vectors."""
    size = kept.shape[0]
    for s in range(lo, hi):
        kept[s] = correction[s + size]
        moved[s] = correction[s + size] - correction[s]


@kernel
def products(lo: int, hi: int, moved: Float32, latest: int) -> Float64:
    """Return the [M, M] weighted products of changes [M, N]; the weight is latest squared."""
    count = moved.shape[0]
    result = np.zeros((count, count))
    for s in range(lo, hi):
        focus = np.float64(moved[latest, s]) ** 2
        for m in range(count):
            left = focus * moved[m, s]
            for n in range(m, count):
                result[m, n] += left * moved[n, s]
    return result


@kernel
def combine(lo: int, hi: int, shares: Float32, kept: Float32, correction: Float32) -> None:
    """Set both halves of the correction to the mixture of the kept vectors [M, N]."""
    size = kept.shape[1]
    for s in range(lo, hi):
        value = np.float32(0.0)
        for m in range(len(shares)):
            value += shares[m] * kept[m, s]
        correction[s] = value
        correction[s + size] = value


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
