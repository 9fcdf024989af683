"""One step of improvement upon logged returns."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.solvers.one_step import logged_returns


def episodes(seed: int = 0, cut: bool = False) -> da.Transitions:
    """Forty episodes of eight steps of a random walk; every second one is cut off."""
    rng = np.random.default_rng(seed)
    last = np.tile(np.arange(8) == 7, 40)
    truncations = last & np.repeat(np.arange(40) % 2 == 1, 8) & cut
    states = rng.normal(size=(320, 2))
    return da.Transitions(
        observations=states,
        actions=rng.integers(0, 2, 320),
        rewards=rng.normal(size=320),
        next_observations=np.roll(states, -1, axis=0) + last[:, None],
        terminations=last & ~truncations,
        truncations=truncations,
        episode_ids=np.repeat(np.arange(40), 8),
    )


def test_values_are_averages_of_logged_returns():
    data = episodes()
    mdp = da.compile(data, k=4)
    plan = da.solve_one_step(mdp, gamma=0.9, cost=0.5, support=0.0, weighting="uniform")
    returns = np.zeros(320)
    for row in reversed(range(320)):
        later = 0.0 if data.terminations[row] else returns[row + 1]
        returns[row] = data.rewards[row] + 0.9 * later
    expected = (returns[mdp.graph.indices] - 0.5 * mdp.graph.distances).mean(axis=2)
    living = ~data.terminations
    assert np.allclose(plan.q_values[living], expected[living])
    assert np.allclose(plan.values[living], expected[living].max(axis=1))
    assert plan.converged


def test_acting_averages_the_returns_of_each_action():
    data = episodes()
    mdp = da.compile(data, k=2)
    plan = da.solve_one_step(mdp, gamma=0.9, cost=0.0, support=0.0, weighting="uniform")
    policy = plan.policy(k=31, lookup="lookahead")
    state = np.array([[0.2, -0.1]])
    returns = logged_returns(mdp, data.rewards, 0.9)
    gaps = np.linalg.norm(mdp.source_features - mdp.encoder.encode(state), axis=1)
    for action, value in enumerate(policy.q_values(state)[0]):
        rows = np.flatnonzero(data.actions == action)
        nearest = rows[np.argsort(gaps[rows], kind="stable")[:31]]
        assert value == pytest.approx(returns[nearest].mean())


def test_beyond_a_cut_stands_the_mean_return_of_similar_states():
    mdp = da.compile(episodes(cut=True), k=2)
    data = mdp.transitions
    returns = logged_returns(mdp, data.rewards, 0.9)
    for row in np.flatnonzero(data.truncations):
        gaps = np.linalg.norm(mdp.source_features - mdp.core_features[row], axis=1)
        tail = returns[np.argsort(gaps, kind="stable")[:31]].mean()
        assert returns[row] == pytest.approx(data.rewards[row] + 0.9 * tail, abs=1e-6)
    constant = logged_returns(mdp, np.ones(320), 0.9)
    assert (constant <= 10.0 + 1e-6).all()


def test_support_is_asked_for_unless_it_is_not():
    mdp = da.compile(episodes(), k=2)
    assert da.solve_one_step(mdp).objective.support == 0.3
    assert da.solve_one_step(mdp, da.Objective(gamma=0.5)).objective.support == 0.0
    with pytest.raises(da.InputError, match="not both"):
        da.solve_one_step(mdp, da.Objective(), cost=2.0)
