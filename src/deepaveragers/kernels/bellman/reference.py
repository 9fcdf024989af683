"""The Bellman operator in plain NumPy: the specification, and the oracle of the tests.

With C the price of a unit of distance, p the chance of a slip, w the weight of the worst case,
j running over the first k neighbours of (s, a) that exist, d_j their distances and i_j their core
states, the *outcome* of following neighbour j is

    o_j(s, a) = r_j - c(s, a) d_j + gamma V(i_j)
    c(s, a)   = C                               (penalty="linear", the paper's)
              = max(0, max_j r_j) / diameter    (penalty="adaptive", A-DAC)

and an action is worth the weighted average of its outcomes, mixed with the worst of them:

    alpha_j = (1 / (d_j + 1e-5)) / sum_i (1 / (d_i + 1e-5)),  or 1 / (number of neighbours)
    Q(s, a) = (1 - w) sum_j alpha_j o_j + w min_j o_j - action_penalty(s, a)
    Q(s, a) = -inf  if (s, a) has no neighbours or is not allowed
    V(s)    = (1 - p) max_a Q(s, a) + p mean_a Q(s, a)   over the available actions
    V(s)    = sum_a pi(a | s) Q(s, a)                    when a policy is evaluated
    V(s)    = 0, Q(s, .) = 0                             where the episode ended

All of it is one operator T on values. T is monotone, and adding c >= 0 to all values adds
between 0 and gamma c to the result (successors that ended do not move), so it contracts.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bool, Float64, Floats, Int32
from .problem import DISTANCE_OFFSET, Problem


def neighbors_there(problem: Problem) -> Bool:
    """Return [N, A, k] bool: whether the neighbour exists."""
    return np.asarray(problem.indices[:, :, : problem.k] >= 0)


def available_actions(problem: Problem) -> Bool:
    """Return [N, A] bool: whether the action has neighbours and is allowed."""
    return neighbors_there(problem).any(axis=2) & problem.allowed


def weights(problem: Problem) -> Float64:
    """Return [N, A, k] float64, alpha; rows without neighbours are 0."""
    k = problem.k
    return weights_of(problem.indices[:, :, :k], problem.distances[:, :, :k], problem.uniform)


def weights_of(indices: Int32, distances: Floats, uniform: bool) -> Float64:
    """Return [N, A, k] float64, alpha of neighbours [N, A, k]; rows without any are 0."""
    there = indices >= 0
    gaps = np.where(there, distances.astype(np.float64), 0.0)
    raw = np.where(there, 1.0 if uniform else 1.0 / (gaps + DISTANCE_OFFSET), 0.0)
    total = raw.sum(axis=2, keepdims=True)
    return raw / np.where(total > 0.0, total, 1.0)


def outcomes(problem: Problem, values: Float64) -> Float64:
    """Return [N, A, k] float64, o; inf where there is no neighbour."""
    there = neighbors_there(problem)
    successors = np.where(there, problem.indices[:, :, : problem.k], 0)
    distances = np.where(there, problem.distances[:, :, : problem.k].astype(np.float64), 0.0)
    rewards = np.where(there, problem.rewards[successors], -np.inf)
    price = np.full(rewards.shape[:2], problem.cost)
    if problem.adaptive > 0.0:
        price = np.maximum(rewards.max(axis=2), 0.0) * problem.adaptive
    future = np.where(problem.terminal, 0.0, values)[successors]
    outcome = rewards - price[:, :, None] * distances + problem.gamma * future
    return np.where(there, outcome, np.inf)


def outcome_weights(problem: Problem, outcome: Float64) -> Float64:
    """Return [N, A, k] float64, (1 - w) alpha + w on the worst outcome: Q is its average."""
    shares = (1.0 - problem.worst_case) * weights(problem)
    if problem.worst_case > 0.0:
        worst = np.arange(problem.k) == outcome.argmin(axis=2)[:, :, None]
        shares += problem.worst_case * (worst & neighbors_there(problem))
    return shares


def average_outcomes(problem: Problem, values: Float64) -> Float64:
    """Return [N, A] float64, Q of states that go on."""
    outcome = outcomes(problem, values)
    finite = np.where(np.isfinite(outcome), outcome, 0.0)
    average = (outcome_weights(problem, outcome) * finite).sum(axis=2)
    return np.where(available_actions(problem), average - problem.penalties, -np.inf)


def action_values(problem: Problem, values: Float64) -> Float64:
    """Return [N, A] float64, Q."""
    q_values = average_outcomes(problem, values)
    q_values[problem.terminal] = 0.0
    return q_values


def state_values(problem: Problem, q_values: Float64) -> Float64:
    """Return [N] float64, V from Q."""
    available = available_actions(problem)
    finite = np.where(available, q_values, 0.0)
    if len(problem.policy):
        result = (problem.policy * finite).sum(axis=1)
    else:
        result = q_values.max(axis=1)
        if problem.slip > 0.0:
            mean = finite.sum(axis=1) / np.maximum(available.sum(axis=1), 1)
            result = (1.0 - problem.slip) * result + problem.slip * mean
    return np.where(problem.terminal, 0.0, result)


def bellman(problem: Problem, values: Float64) -> Float64:
    """Return [N] float64, T V."""
    return state_values(problem, action_values(problem, values))
