"""What the log earned under a question: the figures that stand beside a plan's promises.

They count what the plan counts: the question's rewards less the prices of actions, discounted,
and with a horizon only so many steps. The price of distance is none: the log jumps nowhere.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64, Int64
from ..data.returns import last_rows, rows_ahead
from ..kernels.returns import discounted_returns
from ..mdp.problem import prices_of, rewards_of
from ..solvers.plan import Plan

CUT_SHARE = 0.05
"""Of the weight of an endless return: so much may lie beyond the cut of a return that is known."""


def logged_rewards(plan: Plan) -> Float64:
    """Return [N] the rewards of the log under a plan's question, less the prices of actions."""
    rewards = np.asarray(rewards_of(plan.mdp, plan.objective), dtype=np.float64)
    return rewards - prices_of(plan.mdp, plan.objective)


def logged_returns(plan: Plan) -> Float64:
    """Return [N] what the log earned from each row on, until its episode ends or is cut off."""
    return _summed(plan, logged_rewards(plan), np.zeros(len(plan.mdp)))


def known_returns(plan: Plan) -> Bool:
    """Return [N] whether cutting its episode off took little from a row's logged return."""
    ended = plan.mdp.transitions.terminations
    beyond = _summed(plan, np.zeros(len(ended)), np.where(ended, 0.0, 1.0))
    return beyond <= CUT_SHARE


def best_known(plan: Plan, rows: Int64) -> float:
    """Return the best logged return of some rows; infinite where most of them were cut off."""
    known = known_returns(plan)[rows]
    return float(logged_returns(plan)[rows].max()) if known.mean() > 0.5 else np.inf


def _summed(plan: Plan, rewards: Float64, tails: Float64) -> Float64:
    data, gamma = plan.mdp.transitions, float(plan.objective.gamma)
    returns = discounted_returns(rewards, last_rows(data), tails, gamma)
    horizon = plan.objective.horizon
    if horizon is None:
        return returns
    later = rows_ahead(data, horizon)
    return returns - np.where(later >= 0, gamma**horizon * returns[later], 0.0)
