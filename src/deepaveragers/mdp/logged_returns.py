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
from .model import DacMdp
from .objective import Objective
from .problem import prices_of, rewards_of

CUT_SHARE = 0.05
"""Of the weight of a whole return: so much may lie beyond the cut of a return that is known."""


def logged_rewards(mdp: DacMdp, objective: Objective) -> Float64:
    """Return [N] the rewards of the log under a question, less the prices of actions."""
    rewards = np.asarray(rewards_of(mdp, objective), dtype=np.float64)
    return rewards - prices_of(mdp, objective)


def steps_from_starts(objective: Objective) -> int | None:
    """Return how many steps the value of a start counts; None is all."""
    horizon = objective.horizon
    return None if horizon is None else horizon + 1


def logged_returns(mdp: DacMdp, objective: Objective, *, from_starts: bool = False) -> Float64:
    """Return [N] what the log earned from each row on, until its episode ends or is cut off.

    Args:
        mdp: whose log.
        objective: the question.
        from_starts: whether to count as many steps as the value of a start does.
    """
    steps = _steps(objective, from_starts)
    return _summed(mdp, objective, logged_rewards(mdp, objective), np.zeros(len(mdp)), steps)


def known_returns(mdp: DacMdp, objective: Objective, *, from_starts: bool = False) -> Bool:
    """Return [N] whether cutting its episode off took little from a row's logged return."""
    steps, gamma = _steps(objective, from_starts), float(objective.gamma)
    uncounted = 0.0 if steps is None else gamma**steps
    ended = mdp.transitions.terminations
    beyond = _summed(mdp, objective, np.zeros(len(ended)), np.where(ended, 0.0, 1.0), steps)
    return beyond - uncounted <= CUT_SHARE * (1.0 - uncounted)


def best_known(returns: Float64, known: Bool) -> float:
    """Return the best of some logged returns; infinite where most of them were cut off."""
    return float(returns.max()) if known.mean() > 0.5 else np.inf


def _steps(objective: Objective, from_starts: bool) -> int | None:
    return steps_from_starts(objective) if from_starts else objective.horizon


def _summed(
    mdp: DacMdp, objective: Objective, rewards: Float64, tails: Float64, steps: int | None
) -> Float64:
    data, gamma = mdp.transitions, float(objective.gamma)
    returns = discounted_returns(rewards, last_rows(data), tails, gamma)
    if steps is None:
        return returns
    later = rows_ahead(data, steps)
    return returns - np.where(later >= 0, gamma**steps * returns[later], 0.0)
