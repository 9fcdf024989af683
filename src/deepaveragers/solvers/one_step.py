"""One step of improvement: act once as is best, and then as the data did.

With G_j the discounted rewards that followed transition j in the log, and alpha_j, d_j as ever,

    Q(s, a) = sum_j alpha_j (G_j - C d_j)
    V(s)    = max over the available actions of Q(s, a)

Nothing is chained: a value rests on whole logged episodes, and no step leads from one to
another. Together with `support` this is the most cautious plan that still improves
(Brandfonbrener et al. 2021). It is the plan of gamma = 0 with G as rewards, so it is certified
and explained like any other.

Where an episode was cut off, what would have followed is taken to be the mean G of the 31 logged
states most like the last one; as these may lead to cuts as well, G is the fixed point of that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

import numpy as np

from ..arguments import check_known, instance, number
from ..arrays import Float64
from ..data.returns import last_rows
from ..errors import InputError
from ..kernels.returns import discounted_returns
from ..mdp.model import DacMdp
from ..mdp.objective import LARGEST_GAMMA, Objective, ObjectiveFields
from ..mdp.problem import rewards_of
from .plan import Plan

SUPPORT = 0.3
CASES = 31
"""Transitions of an action that a decision averages."""
ROUNDS = 10_000
PRECISION = 1e-9
"""Relative change of G at which the fixed point is reached."""


def solve_one_step(
    mdp: DacMdp,
    objective: Objective | None = None,
    *,
    tolerance: float = 1e-3,
    **asked: Unpack[ObjectiveFields],
) -> Plan:
    """Return the plan that improves upon the logged behaviour by one step.

    Its `plan.policy()` averages the returns of the 31 nearest transitions of each action
    (lookup "lookahead"). Its objective is that of the equations above: gamma 0,
    with the logged returns as rewards.

    Args:
        mdp: the compiled MDP.
        objective: what is asked; or give its fields as keywords. Support is 0.3 by default.
        tolerance: as of `DacMdp.solve`.
        asked: fields of `Objective`; gamma is that of the returns.
    """
    instance("mdp", mdp, DacMdp, "a DacMdp")
    check_known("options", asked, Objective.field_names() | {"objective", "tolerance"})
    objective = Objective.asked(objective, asked, support=SUPPORT)
    instance("objective", objective, Objective, "an Objective")
    if objective.horizon is not None:
        raise InputError("horizon", "None: whole logged returns count", objective.horizon)
    rewards = np.asarray(rewards_of(mdp, objective), dtype=np.float64)
    returns = logged_returns(mdp, rewards, objective.gamma)
    plan = mdp.solve(replace(objective, gamma=0.0, rewards=returns), tolerance=tolerance)
    return replace(plan, k_pi=CASES, lookup="lookahead")


def logged_returns(mdp: DacMdp, rewards: Float64, gamma: float) -> Float64:
    """Return [N] G of every transition for rewards [N]."""
    gamma = number("gamma", gamma, least=0.0, most=LARGEST_GAMMA)
    data = mdp.transitions
    last = last_rows(data)
    tails = np.zeros(len(data))
    returns = discounted_returns(rewards, last, tails, gamma)
    cut = np.flatnonzero(last & ~data.terminations)
    if len(cut) == 0 or gamma == 0.0:
        return returns
    similar = mdp.imitation.similar(mdp.core_features[cut])
    for _ in range(ROUNDS):
        tails[cut] = returns[similar].mean(axis=1)
        before, returns = returns, discounted_returns(rewards, last, tails, gamma)
        if np.abs(returns - before).max() <= PRECISION * np.abs(returns).max():
            break
    return returns
