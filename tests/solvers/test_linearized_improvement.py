"""The float32 guess with slip and worst cases: right at every kind of MDP, and the same bits."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from tests.solvers.explicit import KINDS, make_mdp, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import reference
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers.iteration.limits import Limits
from deepaveragers.solvers.iteration.tuning import TUNING
from deepaveragers.solvers.planner import solve_tuned

CASES = (
    {"slip": 0.1},
    {"slip": 0.7},
    {"worst_case": 0.2},
    {"slip": 0.3, "worst_case": 0.3, "forbidden_actions": [1], "penalty": "adaptive"},
    {"slip": 0.2, "worst_case": 0.1, "action_penalties": [0.1, 0.0, 0.3], "weighting": "uniform"},
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_bounds_hold_and_the_guess_is_near(kind, case):
    mdp, gamma = random_mdp(3, 60, 3, 3, "plain" if "forbidden_actions" in case else kind), 0.9
    objective = da.Objective(gamma=gamma, cost=0.5, **case)
    limits = Limits(time.perf_counter(), math.inf, math.inf)
    tuning = replace(TUNING, packed_states=1)
    plan = solve_tuned(mdp, objective, 1e-3, limits, tuning=tuning)
    problem, values = pose(mdp, objective), np.zeros(60)
    for _ in range(400):
        values = reference.bellman(problem, values)
    slack = 1e-9 * np.abs(values).max()
    assert plan.converged
    assert (plan.lower <= values + slack).all()
    assert (plan.upper >= values - slack).all()


@pytest.mark.parametrize("case", CASES[:3])
def test_same_bits_for_any_number_of_threads(model, case):
    one, two = (model.solve(threads=threads, **case) for threads in (1, 2))
    np.testing.assert_array_equal(one.q_values, two.q_values)


@pytest.mark.parametrize("case", CASES[:3])
def test_a_warm_start_is_as_right(model, case):
    cold = model.solve(tolerance=1e-6, **case)
    warm = model.solve(start=model.solve(gamma=0.9), **case)
    assert warm.converged
    assert (warm.lower <= cold.upper).all()
    assert (warm.upper >= cold.lower).all()


def test_slipping_may_cost_more_than_any_best_action():
    """Every state has an action for 0 and one for -100: V = -100 slip / 2 / (1 - gamma)."""
    size, gamma, slip = 2_500, 0.9, 0.2
    indices = np.stack([np.arange(size), np.arange(size)], axis=1)[:, :, None]
    mdp = make_mdp(indices, np.zeros((size, 2, 1)), np.zeros(size), np.zeros(size, bool))
    plan = mdp.solve(gamma=gamma, slip=slip, action_penalties=[0.0, 100.0])
    assert plan.converged
    np.testing.assert_allclose(plan.values, -100.0 * slip / 2 / (1.0 - gamma), rtol=2e-3)
    assert (plan.lower <= -100.0).all()
    assert (plan.upper >= -100.0 - 1e-9).all()
