"""Values of given policies against a direct linear solve."""

from __future__ import annotations

import numpy as np
import pytest
from explicit import Explicit, mdps, random_mdp
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.solvers.policy_evaluation import evaluate_policy, factored_values


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
    found = evaluate_policy(mdp, policy, objective)
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
    found = evaluate_policy(mdp, plan.q_values.argmax(axis=1), plan.objective)
    assert (found.lower <= plan.upper).all()
    assert np.abs(found.values - plan.values).max() <= 1e3 * plan.error


@pytest.mark.parametrize(
    "policy",
    [np.zeros(3, int), np.full(20, 3), np.full((20, 3), 0.5), np.zeros(20), np.full(20, -1)],
)
def test_wrong_policies_are_refused(policy):
    with pytest.raises(da.InputError, match="policy"):
        evaluate_policy(random_mdp(0, 20, 3, 3, "endless"), policy)
