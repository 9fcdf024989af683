"""Values of given policies against a direct linear solve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import Explicit, mdps, random_mdp

import deepaveragers as da
from deepaveragers.solvers.policy_evaluation import factored_values, policy_values


def random_policy(mdp, seed, deterministic):
    there = mdp.graph.indices[:, :, 0] >= 0
    chances = np.random.default_rng(seed).random(there.shape) * there
    chances[~there.any(axis=1), 0] = 1.0
    if deterministic:
        return chances.argmax(axis=1)
    return chances / chances.sum(axis=1, keepdims=True)


def as_probabilities(mdp, policy):
    return np.eye(mdp.transitions.num_actions)[policy] if policy.ndim == 1 else policy


@settings(max_examples=60, deadline=None)
@given(mdps(), st.integers(0, 1000), st.booleans(), st.sampled_from([0.0, 0.9, 0.999]))
def test_values_are_those_of_a_linear_solve(mdp, seed, deterministic, gamma):
    policy = random_policy(mdp, seed, deterministic)
    objective = da.Objective(gamma=gamma)
    exact = Explicit(mdp, objective).evaluate(as_probabilities(mdp, policy))
    found = policy_values(mdp, policy, objective)
    slack = 1e-12 * (1.0 + np.abs(exact).max()) / (1.0 - gamma)
    assert (found.lower <= exact + slack).all()
    assert (exact <= found.upper + slack).all()


@settings(max_examples=30, deadline=None)
@given(mdps(), st.integers(0, 1000))
def test_rewards_less_penalties_are_the_values(mdp, seed):
    policy = random_policy(mdp, seed, deterministic=False)
    objective = da.Objective(gamma=0.9, cost=2.0)
    rewards, penalties = factored_values(mdp, policy, objective)
    free = Explicit(mdp, da.Objective(gamma=0.9, cost=0.0)).evaluate(policy)
    paid = free - Explicit(mdp, objective).evaluate(policy)
    slack = 1e-9 * (1.0 + np.abs(free).max() + np.abs(paid).max())
    assert (rewards.lower <= free + slack).all()
    assert (free <= rewards.upper + slack).all()
    assert (penalties.lower <= paid + slack).all()
    assert (paid <= penalties.upper + slack).all()


def test_the_plans_own_policy_is_worth_its_values():
    mdp = random_mdp(2, 300, 3, 3, "chains")
    plan = mdp.solve(gamma=0.99, tolerance=1e-6)
    found = policy_values(mdp, plan.q_values.argmax(axis=1), plan.objective)
    assert (found.lower <= plan.upper).all()
    assert np.abs(found.values - plan.values).max() <= 1e3 * plan.error


@pytest.mark.parametrize(
    "policy",
    [np.zeros(3, int), np.full(20, 3), np.full((20, 3), 0.5), np.zeros(20), np.full(20, -1)],
)
def test_wrong_policies_are_refused(policy):
    with pytest.raises(da.InputError, match="policy"):
        policy_values(random_mdp(0, 20, 3, 3, "endless"), policy)


FREE = da.Objective(gamma=0.9)
MASK = np.arange(20)[:, None] != np.array([[-1, 7, -1]])


@pytest.mark.parametrize(
    ("objective", "allowed"),
    [
        (da.Objective(gamma=0.9, forbidden_actions=[1]), "forbidden"),
        (da.Objective(gamma=0.9, forbidden_actions=["act1"]), "forbidden"),
        (da.Objective(gamma=0.9, action_mask=MASK), "masked"),
    ],
)
def test_actions_that_are_not_allowed_are_refused(objective, allowed):
    mdp = random_mdp(0, 20, 3, 3, "endless")
    policy = np.ones((20, 3)) / 3
    for asked in (policy, np.ones(20, int), np.where(np.arange(20) == 7, 1, 0)):
        policy_values(mdp, asked, FREE)
        for function in (policy_values, factored_values):
            with pytest.raises(da.InputError, match=f"{allowed}.*'act1'"):
                function(mdp, asked, objective)
    exact = Explicit(mdp, objective).evaluate(np.eye(3)[np.zeros(20, int)])
    found = policy_values(mdp, np.zeros(20, int), objective)
    assert (found.lower - 1e-9 <= exact).all()
    assert (exact <= found.upper + 1e-9).all()


def test_actions_without_neighbours_are_refused_and_ends_are_not_read():
    mdp = random_mdp(4, 60, 3, 3, "missing")
    living = ~mdp.transitions.terminations
    there = mdp.graph.indices[:, :, 0] >= 0
    with pytest.raises(da.InputError, match="the data has"):
        policy_values(mdp, np.ones((60, 3)) / 3)
    policy = there / there.sum(axis=1, keepdims=True)
    nonsense = np.where(living[:, None], policy, np.nan)
    assert np.array_equal(policy_values(mdp, nonsense).values, policy_values(mdp, policy).values)


@pytest.mark.parametrize(
    "fields",
    [
        {"action_penalties": [0.5, -2.0, 0.0]},
        {"penalty": "adaptive"},
        {"weighting": "uniform", "k": 2, "cost": 3.0},
        {"slip": 0.5},
    ],
)
def test_bounds_hold_under_other_objectives(fields):
    mdp = random_mdp(9, 80, 3, 3, "chains")
    policy = random_policy(mdp, 1, deterministic=False)
    objective = da.Objective(gamma=0.99, **fields)
    exact = Explicit(mdp, objective).evaluate(policy)
    for tolerance in (1e-1, 1e-4, 1e-9):
        found = policy_values(mdp, policy, objective, tolerance=tolerance)
        slack = 1e-10 * (1.0 + np.abs(exact).max())
        assert found.status == "optimal"
        assert (found.lower <= exact + slack).all()
        assert (exact <= found.upper + slack).all()


def test_chances_of_float32_are_taken_as_what_they_mean():
    data = da.collect("CartPole-v1", steps=300, seed=0, show_progress=False)
    mdp = da.compile(data, k=3)
    even = np.full((len(mdp), 2), 0.5)
    exact = da.policy_values(mdp, even)
    near = da.policy_values(mdp, even * (1.0 + 3e-6))
    np.testing.assert_allclose(near.values, exact.values, atol=1e-6)
    with pytest.raises(da.InputError, match="sum to 1"):
        da.policy_values(mdp, even * 1.001)
