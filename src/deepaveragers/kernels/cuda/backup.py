"""Planning kernels for a GPU; `kernels.bellman.reference` is their specification.

One thread per state at a time, with a stride of the whole grid, so any launch is right.
Arrays over (action, neighbour, state) have the states last, [A, K, N] instead of the [N, A, K] of
`Problem`: the threads of a warp read neighbouring words. All sweeps are Jacobi: nobody reads what
others write in the same launch, so the bits do not depend on timing.

Backups are float64 from the stored float32 distances, exactly the operator that the CPU
certifies; memory, not arithmetic, is what they wait for. Policies are evaluated in float32,
as corrections (see `kernels.bellman.policy_system`).

Extremes are reduced within a block, and left in one column per block for the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ..bellman.problem import DISTANCE_OFFSET

NO_ACTION = -1
THREADS = 256
"""Largest block, a power of two; the reductions have room for so many threads."""
SMALLEST, LARGEST = range(2)
"""Rows of what `improve` leaves per block."""


@cuda.jit(device=True)
def _reduce_max(shared: Any, value: float) -> float:
    """Return, in the first thread, the largest value of the block."""
    thread = cuda.threadIdx.x
    shared[thread] = value
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if thread < half:
            shared[thread] = max(shared[thread], shared[thread + half])
        cuda.syncthreads()
        half //= 2
    result = shared[0]
    cuda.syncthreads()
    return result


@cuda.jit(device=True)
def _weight(uniform: bool, distance: float) -> float:
    return 1.0 if uniform else 1.0 / (distance + DISTANCE_OFFSET)


@cuda.jit(device=True)
def _action_value(
    indices: Any, distances: Any, rewards: Any, gains: Any, s: int, a: int, k: int,
    uniform: bool, cost: float, adaptive: float,
) -> float:  # fmt: skip
    """Return Q(s, a) before penalties; -inf if it has no neighbours."""
    price = cost
    if adaptive > 0.0:
        price = 0.0
        for j in range(k):
            i = indices[a, j, s]
            if i >= 0:
                price = max(price, adaptive * rewards[i])
    total, mass = 0.0, 0.0
    for j in range(k):
        i = indices[a, j, s]
        if i >= 0:
            distance = np.float64(distances[a, j, s])
            weight = _weight(uniform, distance)
            total += weight * (gains[i] - price * distance)
            mass += weight
    return total / mass if mass > 0.0 else -np.inf


@cuda.jit
def columns(first: int, rows: Any, result: Any) -> None:
    """Write rows [B, A, K] of the states from `first` on into [A, K, N]."""
    actions, k, _ = result.shape
    for s in range(cuda.grid(1), rows.shape[0], cuda.gridsize(1)):
        for a in range(actions):
            for j in range(k):
                result[a, j, first + s] = rows[s, a, j]


@cuda.jit
def improve(
    indices: Any, distances: Any, rewards: Any, terminal: Any, allowed: Any, penalties: Any,
    k: int, uniform: bool, cost: float, adaptive: float, slip: float,
    values: Any, gains: Any, residual: Any, choice: Any, extremes: Any,
) -> None:  # fmt: skip
    """Apply the Bellman operator to all states.

    Args:
        indices, distances, ..., slip: as of a `Problem`; penalties are [A].
        values: [N] float64, V.
        gains: [N] float64, r + gamma V.
        residual: [N] float32, T V - V, written.
        choice: [N] int32, the best action, written; `NO_ACTION` where there is none.
        extremes: [2, blocks] float64, written: smallest and largest T V - V.
    """
    shared = cuda.shared.array(THREADS, np.float64)
    smallest, largest = np.inf, -np.inf
    actions = indices.shape[0]
    every_row = 1 if allowed.shape[0] > 1 else 0
    for s in range(cuda.grid(1), values.shape[0], cuda.gridsize(1)):
        residual[s] = 0.0
        choice[s] = NO_ACTION
        if terminal[s]:
            continue
        best, chosen, count, summed = -np.inf, NO_ACTION, 0, 0.0
        for a in range(actions):
            if not allowed[s * every_row, a]:
                continue
            q = _action_value(indices, distances, rewards, gains, s, a, k, uniform, cost, adaptive)
            if q > -np.inf:
                q -= penalties[a]
                count += 1
                summed += q
                if q > best:
                    best, chosen = q, a
        if chosen == NO_ACTION:
            continue
        if slip > 0.0:
            best = (1.0 - slip) * best + slip * summed / count
        change = best - values[s]
        residual[s] = change
        choice[s] = chosen
        smallest = min(smallest, change)
        largest = max(largest, change)
    low, high = _reduce_max(shared, -smallest), _reduce_max(shared, largest)
    if cuda.threadIdx.x == 0:
        extremes[SMALLEST, cuda.blockIdx.x] = -low
        extremes[LARGEST, cuda.blockIdx.x] = high


@cuda.jit
def compact(
    indices: Any, distances: Any, allowed: Any, k: int, uniform: bool, slip: float,
    gamma: float, choice: Any, index: Any, weight: Any, residual: Any,
) -> None:  # fmt: skip
    """Write the rows gamma P of the chosen policy, solved for each state's own value.

    Choice and residual are those of `improve`; the residual is scaled. Successors and weights
    [W, N] are written, W = A * k with slip, else k.
    """
    actions = indices.shape[0]
    every_row = 1 if allowed.shape[0] > 1 else 0
    for s in range(cuda.grid(1), choice.shape[0], cuda.gridsize(1)):
        for w in range(index.shape[0]):
            index[w, s] = s
            weight[w, s] = 0.0
        if choice[s] == NO_ACTION:
            continue
        first, end, count = choice[s], choice[s] + 1, 1
        if slip > 0.0:
            first, end, count = 0, actions, 0
            for a in range(actions):
                if allowed[s * every_row, a] and indices[a, 0, s] >= 0:
                    count += 1
        itself = 0.0
        for a in range(first, end):
            if not allowed[s * every_row, a]:
                continue
            mass = 0.0
            for j in range(k):
                if indices[a, j, s] >= 0:
                    mass += _weight(uniform, np.float64(distances[a, j, s]))
            share = gamma * slip / count
            if a == choice[s]:
                share += gamma * (1.0 - slip)
            for j in range(k):
                i = indices[a, j, s]
                if i < 0:
                    continue
                part = share * _weight(uniform, np.float64(distances[a, j, s])) / mass
                if i == s:
                    itself += part
                else:
                    index[(a - first) * k + j, s] = i
                    weight[(a - first) * k + j, s] = part
        if itself > 0.0:
            scale = 1.0 / (1.0 - itself)
            residual[s] = scale * residual[s]
            for w in range(index.shape[0]):
                weight[w, s] = scale * weight[w, s]


@cuda.jit
def relax(
    index: Any, weight: Any, residual: Any, before: Any, after: Any, changes: Any, measure: bool
) -> None:
    """Make one Jacobi sweep of e = residual + gamma P e, with what `compact` wrote.

    The new e [N] is written to `after` and, if measured, the largest change to `changes` [blocks].
    """
    shared = cuda.shared.array(THREADS, np.float64)
    largest = 0.0
    for s in range(cuda.grid(1), residual.shape[0], cuda.gridsize(1)):
        value = residual[s]
        for w in range(index.shape[0]):
            value += weight[w, s] * before[index[w, s]]
        largest = max(largest, abs(np.float64(value) - np.float64(before[s])))
        after[s] = value
    if measure:
        block = _reduce_max(shared, largest)
        if cuda.threadIdx.x == 0:
            changes[cuda.blockIdx.x] = block


@cuda.jit
def advance(rewards: Any, terminal: Any, gamma: float, step: Any, values: Any, gains: Any) -> None:
    """Add a correction [N] float32 to the values, and refresh r + gamma V."""
    for s in range(cuda.grid(1), values.shape[0], cuda.gridsize(1)):
        if terminal[s]:
            values[s] = 0.0
        else:
            values[s] += np.float64(step[s])
        gains[s] = rewards[s] + gamma * values[s]
