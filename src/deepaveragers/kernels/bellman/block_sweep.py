"""A sweep over some of the states, where those of all others are given and stay as they are.

For planning in blocks on several machines (`solvers.sharded`): a block has its part of the graph,
and one vector of all gains.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Float64
from ..jit import kernel
from .backup import action_value, unit_cost
from .problem import Problem


@kernel
def sweep_states(
    lo: int, problem: Problem, in_place: bool, gains: Float64, values: Float64, q_values: Float64
) -> tuple[float, float, float, int]:
    """Apply the Bellman operator to the states lo, lo + 1, ... of a block, from the last on.

    Args:
        lo: the first state of the block.
        problem: the MDP; of its arrays only `rewards` is of all states, the others are of the
            block. Its policy is not read.
        in_place: whether a backup reads what this sweep has found in the block (Gauss-Seidel).
        gains: [N] r + gamma V of all states; those of the block are written if `in_place`.
        values: [n] of the block, in and out.
        q_values: [n, A] out.

    Returns:
        the smallest and the largest change of a value, the largest distance penalty, and the
        number of states without any action.
    """
    indices, distances, rewards = problem.indices, problem.distances, problem.rewards
    terminal, allowed, penalties = problem.terminal, problem.allowed, problem.penalties
    k, uniform, worst_case = problem.k, problem.uniform, problem.worst_case
    slip, gamma, cost, adaptive = problem.slip, problem.gamma, problem.cost, problem.adaptive
    count, actions = q_values.shape
    every_row = 1 if allowed.shape[0] > 1 else 0
    every_fee = 1 if penalties.shape[0] > 1 else 0
    smallest, largest, penalty, stuck = np.inf, -np.inf, 0.0, 0
    for step in range(count):
        s = count - 1 - step
        if terminal[s]:
            for a in range(actions):
                q_values[s, a] = 0.0
            continue
        best, available, summed = -np.inf, 0, 0.0
        for a in range(actions):
            q = -np.inf
            if allowed[s * every_row, a]:
                price = unit_cost(indices, rewards, s, a, k, cost, adaptive)
                # Length 0: all states are read from the one half that there is.
                q, farthest = action_value(
                    indices, distances, s, a, k, uniform, price, worst_case, gains, 0, 0, 0
                )
                q -= penalties[s * every_fee, a]
                penalty = max(penalty, price * farthest)
            q_values[s, a] = q
            if q > -np.inf:
                available += 1
                summed += q
            best = max(best, q)
        if available == 0:
            stuck += 1
            continue
        value = (1.0 - slip) * best
        if slip > 0.0:
            value += slip * summed / available
        smallest, largest = min(smallest, value - values[s]), max(largest, value - values[s])
        values[s] = value
        if in_place:
            gains[lo + s] = rewards[lo + s] + gamma * value
    return smallest, largest, penalty, stuck
