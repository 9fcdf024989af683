"""What the log earned under a question: the figures that stand beside a plan's promises.

They count what the plan counts: the question's rewards less the prices of actions, discounted,
and with a horizon only so many steps; from the starts one more, as their values are of one step
and the horizon after it. The price of distance is none: the log jumps nowhere.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64
from ..data.returns import last_rows, rows_ahead
from ..kernels.returns import discounted_returns
from ..mdp.problem import prices_of, rewards_of
from ..solvers.plan import Plan

CUT_SHARE = 0.05
"""Of the weight of a whole return: so much may lie beyond the cut of a return that is known."""


def logged_rewards(plan: Plan) -> Float64:
    """Return [N] the rewards of the log under a plan's question, less the prices of actions."""
    rewards = np.asarray(rewards_of(plan.mdp, plan.objective), dtype=np.float64)
    return rewards - prices_of(plan.mdp, plan.objective)


def steps_from_starts(plan: Plan) -> int | None:
    """Return how many steps the value of a start counts; None is all."""
    horizon = plan.objective.horizon
    return None if horizon is None else horizon + 1


def logged_returns(plan: Plan, *, from_starts: bool = False) -> Float64:
    """Return [N] what the log earned from each row on, until its episode ends or is cut off.

    Args:
        plan: the plan.
        from_starts: whether to count as many steps as the value of a start does.
    """
    steps = _steps(plan, from_starts)
    return _summed(plan, logged_rewards(plan), np.zeros(len(plan.mdp)), steps)


def known_returns(plan: Plan, *, from_starts: bool = False) -> Bool:
    """Return [N] whether cutting its episode off took little from a row's logged return."""
    steps, gamma = _steps(plan, from_starts), float(plan.objective.gamma)
    uncounted = 0.0 if steps is None else gamma**steps
    ended = plan.mdp.transitions.terminations
    beyond = _summed(plan, np.zeros(len(ended)), np.where(ended, 0.0, 1.0), steps)
    return beyond - uncounted <= CUT_SHARE * (1.0 - uncounted)


def best_known(returns: Float64, known: Bool) -> float:
    """Return the best of some logged returns; infinite where most of them were cut off."""
    return float(returns.max()) if known.mean() > 0.5 else np.inf


def _steps(plan: Plan, from_starts: bool) -> int | None:
    return steps_from_starts(plan) if from_starts else plan.objective.horizon


def _summed(plan: Plan, rewards: Float64, tails: Float64, steps: int | None) -> Float64:
    data, gamma = plan.mdp.transitions, float(plan.objective.gamma)
    returns = discounted_returns(rewards, last_rows(data), tails, gamma)
    if steps is None:
        return returns
    later = rows_ahead(data, steps)
    return returns - np.where(later >= 0, gamma**steps * returns[later], 0.0)
