"""Policy improvement in float32 over the packed MDP: sweeps that write the policy's system.

Fetching values is what a sweep costs. Vectors of length 2N have two halves as in `sweep_state`.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Float32, Int32
from ..jit import fused, inlined, kernel
from .packed import Packed
from .policy_system import PolicySystem, solve_for_itself
from .static_width import StaticWidth
from .sweep_state import SweepState, exchange, part_of, record_change


@inlined
def _write_row(
    s: int, row: int, chosen: int, k: int, gamma: float, index: Int32, weight: Float32,
    reward: Float32, successors: Int32, weights: Float32, constant: Float32,
) -> None:  # fmt: skip
    """Write the row of an action: V = R + gamma P V, solved for the state's own value."""
    for j in range(k):
        successors[s, j] = index[row, chosen, j]
        weights[s, j] = gamma * weight[row, chosen, j]
    constant[s] = reward[row, chosen]
    solve_for_itself(s, k, successors, weights, constant)


@fused
def _improve_part(
    lo: int, hi: int, static: StaticWidth, gamma: float, packed: Packed, reward: Float32,
    choice: Int32, system: PolicySystem,
) -> float:  # fmt: skip
    """Sweep over states lo..hi, the last first; return the largest absolute change of a value.

    R [N, A] is that of `packed.reward_of_actions`, gamma a float32. The policy [N] is written, and
    its system where the policy changes. The system's solution is V.
    """
    index, weight = packed.successors, packed.weight
    successors, weights, constant, values, _ = system
    size, actions, any_k = weight.shape
    k = len(static) if len(static) > 0 else any_k
    largest = np.float32(0.0)
    for row in range(np.uint64(size - hi), np.uint64(size - lo)):
        s = size - 1 - np.int64(row)
        best, chosen = np.float32(-np.inf), 0
        for a in range(actions):
            future = np.float32(0.0)
            for j in range(k - 1, -1, -1):
                future += weight[row, a, j] * values[np.uint32(index[row, a, j])]
            q = reward[row, a] + gamma * future
            if q > best:
                best = q
                chosen = a
        if chosen != choice[s]:
            choice[s] = chosen
            _write_row(
                s, row, chosen, k, gamma, index, weight, reward, successors, weights, constant
            )
        largest = max(largest, abs(best - values[s + size]))
        values[s + size] = best
    return np.float64(largest)


@kernel
def improve_all(
    worker: int, workers: int, state: SweepState, static: StaticWidth, gamma: float,
    packed: Packed, reward: Float32, choice: Int32, system: PolicySystem,
) -> None:  # fmt: skip
    """Improve part by part in all blocks, as one of several workers."""
    for part in range(state.parts):
        for block in range(worker, len(state.edges) - 1, workers):
            lo, hi = part_of(state, block, part)
            change = _improve_part(lo, hi, static, gamma, packed, reward, choice, system)
            record_change(state, block, part, change)
        if not exchange(worker, workers, state, part, system.place, system.solution):
            return
