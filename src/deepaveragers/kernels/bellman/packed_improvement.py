"""Policy improvement in float32 over the packed MDP: sweeps that write the policy's system.

Fetching values is what a sweep costs. `packed` says how rows and positions are counted.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Float32, Int32
from ..jit import fused, kernel
from .packed import Packed
from .policy_system import PolicySystem, solve_for_itself
from .static_width import StaticWidth
from .sweep_state import SweepState, exchange, part_of, record_change


@fused
def _improve_part(
    lo: int, hi: int, static: StaticWidth, gamma: float, packed: Packed, reward: Float32,
    choice: Int32, system: PolicySystem,
) -> float:  # fmt: skip
    """Sweep over positions lo..hi, the last first; return the largest absolute change of a value.

    R [N, A] is that of `packed.reward_of_actions`, gamma a float32. The policy [N] is written, and
    where it changes its system, V = R + gamma P V. The system's solution is V.
    """
    index, weight = packed.successors, packed.weight
    successors, weights, constant, values, _ = system
    size, actions, any_k = weight.shape
    k = len(static) if len(static) > 0 else any_k
    largest = np.float32(0.0)
    for row in range(np.uint64(size - hi), np.uint64(size - lo)):
        p = size - 1 - np.int64(row)
        best, chosen = np.float32(-np.inf), 0
        for a in range(actions):
            future = np.float32(0.0)
            for j in range(k - 1, -1, -1):  # The nearest last, as in `policy_system.sweep`.
                future += weight[row, a, j] * values[np.uint32(index[row, a, j])]
            q = reward[row, a] + gamma * future
            if q > best:
                best = q
                chosen = a
        if chosen != choice[p]:
            choice[p] = chosen
            itself = False  # Reading the row again at once would wait until it is written.
            for j in range(k):
                i = index[row, chosen, j]
                successors[p, j], weights[p, j] = i, gamma * weight[row, chosen, j]
                itself |= i == p + size
            constant[p] = reward[row, chosen]
            if itself:
                solve_for_itself(p, k, successors, weights, constant)
        largest = max(largest, abs(best - values[p + size]))
        values[p + size] = best
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
