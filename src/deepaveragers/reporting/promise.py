"""What a plan promises per episode, beside what the log earned there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Int64
from ..errors import InputError
from ..evaluation.decision_states import decision_states
from ..mdp.logged_returns import logged_returns
from ..solvers.plan import Plan
from ..solvers.start_states import start_states


@dataclass(frozen=True)
class Promise:
    """Mean discounted values over the starts of the logged episodes.

    Attributes:
        planned: what the plan promises in the compiled MDP, costs of distance taken off.
        logged: what the log earned from there on, up to where it stops, under the plan's question:
            its rewards, prices of actions, discount and horizon.
        starts: over how many.
        one_step: whether every start is judged from all other transitions, as in one-step data.
    """

    planned: float
    logged: float
    starts: int
    one_step: bool


def promise_of(plan: Plan) -> Promise:
    """Return the promise of a plan; NaN where nothing can be said of any start."""
    one_step = bool(plan.mdp.transitions.terminations.all())
    try:
        rows, values = _alone(plan) if one_step else _at_starts(plan)
    except InputError:  # no decision can be seen from other transitions
        return Promise(np.nan, np.nan, 0, one_step)
    if not len(rows):
        return Promise(np.nan, np.nan, 0, one_step)
    earned = logged_returns(plan.mdp, plan.objective, from_starts=True)
    return Promise(float(values.mean()), float(earned[rows].mean()), len(rows), one_step)


def _alone(plan: Plan) -> tuple[Int64, Float64]:
    """Return the states of one-step data, and the plan's values there by all other transitions."""
    states = decision_states(plan)
    return states.rows, states.values


def _at_starts(plan: Plan) -> tuple[Int64, Float64]:
    """Return the starts where an action is available, and the plan's values there."""
    starts = start_states(plan.mdp)
    values = starts.values(plan.objective, plan.values)
    there = ~np.isnan(values)
    return starts.rows[there], values[there]
