"""Policy iteration as textbooks have it: read this first, then `iteration.loop`.

Evaluate a policy exactly, V_pi = R_pi + gamma P_pi V_pi; act greedily on its values; repeat until
no action changes. It needs the whole transition matrix, so it is for small MDPs: the oracle of
the planner's tests, and what the fast planner is compared with.

Reference: Howard, Dynamic Programming and Markov Processes, 1960.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Int64
from ..kernels.bellman import reference
from ..kernels.bellman.problem import Problem

NEARLY = 1e-12
"""Another action must be better by this share of the largest value: others are rounding."""


def policy_iteration(problem: Problem) -> tuple[Float64, Int64]:
    """Return the optimal values [N] and an optimal policy [N], without slip and worst case."""
    states = np.arange(problem.size)
    successors = np.maximum(problem.indices[:, :, : problem.k], 0)
    weights = problem.gamma * reference.weights(problem)
    rewards = reference.average_outcomes(problem._replace(gamma=0.0), np.zeros(problem.size))
    rewards[problem.terminal] = 0.0
    weights[problem.terminal] = 0.0
    policy = rewards.argmax(axis=1)
    while True:
        matrix = np.eye(problem.size)
        rows = np.repeat(states, problem.k)
        np.add.at(
            matrix, (rows, successors[states, policy].ravel()), -weights[states, policy].ravel()
        )
        values = np.linalg.solve(matrix, rewards[states, policy])
        q_values = reference.action_values(problem, values)
        better = q_values.max(axis=1) > values + NEARLY * np.abs(values).max()
        if not better.any():
            return values, policy
        policy = np.where(better, q_values.argmax(axis=1), policy)
