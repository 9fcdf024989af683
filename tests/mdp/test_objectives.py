"""Every objective against the explicitly changed MDP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import Explicit, mdps, random_mdp

import deepaveragers as da
from deepaveragers.solvers.start_states import start_states


def assert_solved(mdp, objective, explicit_objective=None):
    optimum = Explicit(mdp, explicit_objective or objective).optimum()
    plan = mdp.solve(objective, tolerance=1e-8)
    slack = 1e-12 * (1.0 + np.abs(optimum).max()) / (1.0 - objective.gamma)
    assert (plan.lower <= optimum + slack).all()
    assert (optimum <= plan.upper + slack).all()
    assert plan.status == "optimal"
    return plan


@settings(max_examples=60, deadline=None)
@given(mdps(), st.sampled_from([0.5, 0.99]), st.sampled_from([0.05, 0.5, 1.0]))
def test_slip_is_an_explicit_mixture(mdp, gamma, slip):
    assert_solved(mdp, da.Objective(gamma=gamma, slip=slip))


@settings(max_examples=60, deadline=None)
@given(mdps(largest=12), st.sampled_from([0.1, 0.5, 1.0]), st.sampled_from([0.0, 0.2]))
def test_worst_case_is_an_explicit_minimum(mdp, worst_case, slip):
    assert_solved(mdp, da.Objective(gamma=0.8, worst_case=worst_case, slip=slip))


@settings(max_examples=40, deadline=None)
@given(mdps(), st.sampled_from(["inverse", "uniform"]), st.sampled_from(["linear", "adaptive"]))
def test_weighting_and_penalty(mdp, weighting, penalty):
    k = max(1, mdp.graph.k - 1)
    assert_solved(mdp, da.Objective(gamma=0.95, weighting=weighting, penalty=penalty, k=k))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_actions_can_be_forbidden_masked_and_penalised(seed):
    mdp = random_mdp(seed, 20, 3, 3)
    rng = np.random.default_rng(seed)
    base = da.Objective(gamma=0.9, forbidden_actions=(1,))
    plan = assert_solved(mdp, base)
    living = ~mdp.transitions.terminations
    assert (plan.q_values[living, 1] == -np.inf).all()
    assert_solved(mdp, replace(base, forbidden_actions=("act1",)), base)
    penalties = list(rng.normal(size=3))
    listed = da.Objective(gamma=0.9, action_penalties=penalties)
    assert_solved(mdp, listed)
    assert_solved(mdp, replace(listed, action_penalties=dict(enumerate(penalties))), listed)
    mask = rng.random((20, 3)) < 0.5
    mask[np.arange(20), rng.integers(0, 3, 20)] = True
    masked = da.Objective(gamma=0.9, action_mask=mask)
    assert_solved(mdp, masked)
    assert_solved(mdp, replace(masked, action_mask=lambda observations: mask), masked)


def test_rewards_can_be_relabelled():
    mdp = random_mdp(4, 30, 2, 3)
    rewards = np.random.default_rng(0).normal(size=30)
    objective = da.Objective(gamma=0.9, rewards=rewards)
    assert_solved(mdp, objective)
    assert_solved(mdp, replace(objective, rewards=lambda *rows: rewards), objective)


@settings(max_examples=40, deadline=None)
@given(mdps(), st.integers(1, 30), st.sampled_from([0.0, 0.5, 0.99]), st.sampled_from([0.0, 0.2]))
def test_horizon_is_backward_induction(mdp, horizon, gamma, slip):
    objective = da.Objective(gamma=gamma, horizon=horizon, slip=slip)
    explicit, values = Explicit(mdp, objective), np.zeros(len(mdp))
    for _ in range(horizon):
        values = explicit.backup(values)
    plan = mdp.solve(objective)
    slack = 1e-12 * (1.0 + np.abs(values).max())
    assert np.abs(plan.values - values).max() <= plan.error + slack
    assert plan.error <= 1e-9 * (1.0 + np.abs(values).max()) * horizon
    assert plan.sweeps == horizon


@settings(max_examples=30, deadline=None)
@given(mdps(), st.integers(1, 8))
def test_a_horizon_cut_short_is_bounded(mdp, sweeps):
    objective = da.Objective(gamma=0.9, horizon=12)
    explicit, values = Explicit(mdp, objective), np.zeros(len(mdp))
    for _ in range(12):
        values = explicit.backup(values)
    plan = mdp.solve(objective, max_sweeps=sweeps)
    assert plan.status == "out_of_sweeps"
    assert (plan.lower <= values + 1e-12).all()
    assert (values <= plan.upper + 1e-12).all()


@pytest.mark.parametrize(
    ("fields", "parameter"),
    [
        ({"forbidden_actions": ["jump"]}, "forbidden_actions"),
        ({"forbidden_actions": [3]}, "forbidden_actions"),
        ({"forbidden_actions": [0, 1, 2]}, "forbidden_actions"),
        ({"action_penalties": [1.0]}, "action_penalties"),
        ({"action_penalties": {"jump": 1.0}}, "action_penalties"),
        ({"action_penalties": [1.0, np.nan, 0.0]}, "action_penalties"),
        ({"rewards": [1.0]}, "rewards"),
        ({"rewards": np.full(20, np.inf)}, "rewards"),
        ({"rewards": "high"}, "rewards"),
        ({"rewards": lambda states: states}, r"a function of \(observations, actions, next_obs"),
        ({"action_mask": lambda: True}, r"a function of \(observations\); received one of \(\)"),
        ({"action_mask": np.zeros((20, 3), bool)}, "action_mask"),
        ({"action_mask": np.ones((20, 2), bool)}, "action_mask"),
        ({"k": 4}, "k"),
        ({"slip": 1.5}, "slip"),
        ({"worst_case": -0.1}, "worst_case"),
        ({"horizon": 0}, "horizon"),
        ({"penalty": "cubic"}, "penalty"),
    ],
)
def test_wrong_objectives_are_refused(fields, parameter):
    with pytest.raises(da.InputError, match=parameter):
        random_mdp(0, 20, 3, 3).solve(**fields)


def test_objectives_are_equal_when_all_fields_are():
    rewards = np.arange(4.0)

    def relabel(*rows):
        return rewards

    some = da.Objective(gamma=0.9, rewards=rewards, forbidden_actions=[0, "act1"])
    assert some == da.Objective(gamma=0.9, rewards=[0, 1, 2, 3], forbidden_actions=(0, "act1"))
    assert some != replace(some, forbidden_actions=("0", "act1"))
    assert some != replace(some, rewards=rewards + 1.0)
    assert some != replace(some, rewards=None)
    assert some != replace(some, rewards=relabel)
    assert replace(some, rewards=relabel) == replace(some, rewards=relabel)
    mapped = replace(some, action_penalties={0: 1.0})
    assert mapped == replace(some, action_penalties={0: 1})
    assert mapped != replace(some, action_penalties=[1.0, 0.0])
    assert mapped != some
    assert some != "a question"
    with pytest.raises(TypeError, match="unhashable"):
        hash(some)


def _walk(count, rewards=None):
    generator = np.random.default_rng(0)
    states = generator.normal(size=(count + 1, 2))
    ended = np.zeros(count, dtype=bool)
    ended[49::50] = True
    return da.Transitions(
        observations=states[:-1],
        actions=generator.integers(0, 2, count),
        rewards=np.ones(count) if rewards is None else rewards,
        next_observations=states[1:],
        terminations=ended,
    )


def test_a_large_mdp_whose_best_steps_are_worth_nothing_is_solved():
    count = 3_000  # enough for the guess in float32
    rewards = np.where(np.arange(count) % 1_500 == 7, -1.0, 0.0)
    plan = da.compile(_walk(count, rewards), k=1).solve(
        cost=0.0, callback=lambda seen: seen.sweeps > 100
    )
    assert plan.status == "optimal"
    assert not plan.values.any()


def test_forbidden_actions_and_a_mask_hold_everywhere():
    data = _walk(300)
    mdp = da.compile(data, k=3)
    plan = mdp.solve(
        forbidden_actions=[1], action_mask=lambda states: np.ones((len(states), 2), bool)
    )
    at_starts = start_states(mdp).q_values(plan.objective, plan.values)
    assert np.isneginf(at_starts[:, 1]).all()
    assert np.isfinite(at_starts[:, 0]).all()
    for count in (1, 4):
        ahead = plan.policy(lookup="lookahead").q_values(data.observations[:count])
        assert ahead.shape == (count, 2)
        assert np.isneginf(ahead[:, 1]).all()


def test_numbers_of_numpy_are_numbers(tmp_path):
    mdp = da.compile(_walk(60), k=np.int64(3))
    plan = mdp.solve(
        gamma=np.float32(0.9),
        k=np.int64(2),
        action_penalties=np.array([0.0, 1.0]),
        forbidden_actions=[np.int64(0)],
    )
    again = da.load(da.save(plan, tmp_path / "plan"))
    assert again.objective.forbidden_actions == (0,)
    np.testing.assert_array_equal(again.objective.action_penalties, [0.0, 1.0])
