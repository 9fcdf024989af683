"""The readable policy iteration: optimal on small MDPs, and what the planner agrees with."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.explicit import KINDS, Explicit, random_mdp

import deepaveragers as da
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers.reference import policy_iteration


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gamma", [0.0, 0.9, 0.999])
def test_it_agrees_with_an_explicit_table_and_with_the_planner(kind, gamma):
    for seed in range(8):
        mdp, objective = random_mdp(seed, 30, 3, 3, kind), da.Objective(gamma=gamma, cost=1.0)
        values, policy = policy_iteration(pose(mdp, objective))
        optimum = Explicit(mdp, objective).optimum()
        slack = 1e-9 * (1.0 + np.abs(optimum).max())
        np.testing.assert_allclose(values, optimum, atol=slack)
        plan = mdp.solve(objective, tolerance=1e-6)
        assert (plan.lower <= values + slack).all()
        assert (values <= plan.upper + slack).all()
        living = ~mdp.transitions.terminations
        chosen = plan.q_values[np.arange(30), policy]
        assert (chosen[living] >= plan.q_values.max(axis=1)[living] - 2 * plan.error - slack).all()


def test_the_fast_planner_agrees_on_a_log(cartpole):
    mdp = da.compile(cartpole.subset(slice(0, 2_500)), k=5)
    objective = da.Objective(gamma=0.99, cost=1.0)
    values, _ = policy_iteration(pose(mdp, objective))
    plan = mdp.solve(objective)
    slack = 1e-9 * np.abs(values).max()
    assert (plan.lower <= values + slack).all()
    assert (values <= plan.upper + slack).all()
