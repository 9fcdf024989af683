"""Choosing without an environment: estimates against what is known, and the choice itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.evaluation import selection
from deepaveragers.evaluation.candidates import Candidate, by_plan, candidate_grid
from deepaveragers.evaluation.importance import weighted_importance
from deepaveragers.evaluation.off_policy import (
    behaviour_chances,
    fitted_q_values,
)
from deepaveragers.evaluation.selection import select, split_episodes
from deepaveragers.evaluation.simulation import Simulator, simulate
from deepaveragers.solvers.starts import start_states


def linear_system(size=2_000, seed=0):
    """Return data of x' = x + (0.1 or -0.1) + 0.05 y, y' = 0.9 y, with reward x."""
    rng = np.random.default_rng(seed)
    states = rng.uniform(-1.0, 1.0, (size, 2))
    actions = rng.integers(0, 2, size)
    following = states @ np.array([[1.0, 0.0], [0.05, 0.9]])
    following[:, 0] += 0.2 * actions - 0.1
    return da.Transitions(
        observations=states,
        actions=actions,
        rewards=states[:, 0],
        next_observations=following,
        terminations=np.zeros(size, bool),
        truncations=np.ones(size, bool),
    )


def test_the_simulator_is_exact_where_dynamics_are_linear():
    data = linear_system()
    simulator = Simulator(data)
    rng = np.random.default_rng(1)
    observations = rng.uniform(-0.8, 0.8, (200, 2))
    actions = rng.integers(0, 2, 200)
    states, rewards, ended, believed = simulator.step(
        simulator.states(observations), actions, rng.random((200, 2))
    )
    expected = observations @ np.array([[1.0, 0.0], [0.05, 0.9]])
    expected[:, 0] += 0.2 * actions - 0.1
    assert np.abs(simulator.observations(states) - expected).max() < 2e-3
    assert np.abs(rewards - observations[:, 0]).max() < 2e-3
    assert believed.all()
    assert not ended.any()


def test_nothing_is_believed_far_from_the_data():
    simulator = Simulator(linear_system())
    far = simulator.states(np.full((3, 2), 9.0))
    assert not simulator.step(far, np.zeros(3, int), np.zeros((3, 2)))[3].any()


def test_simulated_returns_are_real_ones(cartpole, plan):
    policy = plan.policy(k=11)
    rng = np.random.default_rng(0)
    starts = rng.uniform(-0.05, 0.05, (30, 4)).astype(np.float32)
    simulator = Simulator(cartpole)
    simulated = simulate(simulator, [policy, policy], starts, gamma=0.9, worst=0.0)
    assert np.array_equal(simulated[0], simulated[1])
    assert simulated.mean() == pytest.approx(10.0, rel=0.05)


def test_a_simulated_episode_ends_at_the_horizon():
    data = linear_system()
    always = da.compile(data, k=1).solve(forbidden_actions=[0]).policy(k=1)
    starts = np.zeros((5, 2))
    earned = simulate(Simulator(data), [always], starts, gamma=0.999, worst=0.0, horizon=4)
    expected = sum(0.999**step * 0.1 * step for step in range(4))
    assert earned == pytest.approx(expected, abs=1e-2)


def test_fitted_q_is_the_fixed_point_of_its_regression(cartpole):
    mdp = da.compile(cartpole.subset(slice(0, 400)), k=3)
    policy = mdp.solve().policy(k=5)
    data, graph = mdp.transitions, mdp.graph
    chosen = np.asarray(policy.act(data.next_observations))
    values = np.zeros(len(data))
    for _ in range(600):
        near = graph.indices[np.arange(len(data)), chosen]
        targets = data.rewards[near] + 0.95 * np.where(data.terminations, 0.0, values)[near]
        values = targets.mean(axis=1)
    starts = start_states(mdp)
    first = np.asarray(policy.act(starts.observations))
    near = starts.indices[np.arange(len(first)), first]
    targets = data.rewards[near] + 0.95 * np.where(data.terminations, 0.0, values)[near]
    found = fitted_q_values(starts, policy, 0.95)
    assert np.abs(found - targets.mean(axis=1)).max() < 1e-2


def test_importance_sampling_of_the_behaviour_itself_is_its_mean_return():
    data = da.collect("CartPole-v1", 600, lambda x: (x[:, 2] + x[:, 3] > 0).astype(int), seed=0)
    mdp = da.compile(data, k=1)

    class Same:
        def act(self, observations):
            return (observations[:, 2] + observations[:, 3] > 0).astype(int)

    agrees = Same().act(data.observations) == data.actions
    found = weighted_importance(data, agrees, np.ones(len(data)), 0.9)
    returns = [
        (data.rewards[e] * 0.9 ** np.arange(e.stop - e.start)).sum() for e in data.episodes()
    ]
    assert found.value == pytest.approx(np.mean(returns), rel=1e-2)
    assert found.low <= found.value <= found.high
    assert (behaviour_chances(mdp) > 0.0).all()


def test_halves_are_whole_episodes(cartpole):
    first, second = split_episodes(cartpole, seed=3)
    assert len(np.intersect1d(first, second)) == 0
    assert len(first) + len(second) == len(cartpole)
    assert abs(len(first) - len(second)) < 200
    shared = set(cartpole.episode_ids[first]) & set(cartpole.episode_ids[second])
    assert not shared


def test_bad_candidates_come_last_and_compiles_are_shared(cartpole, monkeypatch):
    compiled = []
    original = selection.compile
    monkeypatch.setattr(
        selection, "compile", lambda *a, **kw: compiled.append(a) or original(*a, **kw)
    )
    candidates = candidate_grid(k=(1, 5), cost=(1.0, 1e6), k_pi=(11,))
    found = select(cartpole, candidates, gamma=0.95)
    assert len(compiled) == 3
    assert [score.candidate.objective.cost for score in found.scores] == [1.0, 1.0, 1e6, 1e6]
    assert found.best is found.scores[0].candidate
    assert found.policy().k == 11
    for score in found.scores:
        for estimate in (score.simulated, score.cross_fitted, score.fitted_q):
            assert estimate.low <= estimate.value <= estimate.high
    again = select(cartpole, candidates, gamma=0.95, estimates=())
    assert [s.score for s in again.scores] == [s.score for s in found.scores]


def test_with_an_environment_the_best_few_are_played(cartpole):
    candidates = candidate_grid(k=(3,), cost=(0.0, 1.0), k_pi=(1, 11))
    found = select(cartpole, candidates, 2, "CartPole-v1", gamma=0.9, estimates=(), episodes=3)
    played = [score for score in found.scores if score.online is not None]
    assert played == list(found.scores[:2])
    assert found.best is max(played, key=lambda score: score.online.mean).candidate


def test_pictures_are_judged_by_cross_fitting():
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 255, (61, 6, 6), dtype=np.uint8)
    data = da.Transitions(
        observations=frames[:-1],
        actions=rng.integers(0, 2, 60),
        rewards=rng.normal(size=60),
        next_observations=frames[1:],
        terminations=np.arange(60) % 10 == 9,
    )
    found = select(data, [Candidate(encoder=da.Identity(), k=2)], gamma=0.9, estimates=())
    assert found.scores[0].simulated is None
    assert found.scores[0].score == found.scores[0].cross_fitted.value


def episodes_of_three(size=30, actions=None):
    """Return data of short episodes, in which any k is large."""
    rng = np.random.default_rng(0)
    states = rng.normal(size=(size + 1, 2))
    return da.Transitions(
        observations=states[:-1],
        actions=rng.integers(0, 2, size) if actions is None else actions,
        rewards=rng.normal(size=size),
        next_observations=states[1:],
        terminations=np.arange(size) % 3 == 2,
        action_names=("left", "right"),
    )


def test_a_question_about_every_transition_is_cut_for_a_half():
    data = episodes_of_three()
    rewards, mask = np.arange(30.0), np.ones((30, 2), dtype=bool)
    mask[4, 0] = mask[11, 1] = False
    place = {tuple(row): number for number, row in enumerate(data.next_observations)}

    def relabel(observations, actions, following):
        return [rewards[place[tuple(row)]] for row in following]

    by_array, by_function = (
        select(data, [Candidate(asked, k=2, k_pi=2)], gamma=0.9).scores[0].cross_fitted
        for asked in (
            da.Objective(rewards=rewards, action_mask=mask),
            da.Objective(rewards=relabel, action_mask=mask),
        )
    )
    assert by_array == by_function


def test_k_may_be_larger_than_a_half():
    found = select(episodes_of_three(), [Candidate(k=25)], gamma=0.9)
    assert found.scores[0].cross_fitted is not None
    assert found.plan.objective.k == 25


def test_what_a_half_knows_nothing_about_is_no_estimate():
    actions = np.zeros(30, dtype=int)
    actions[0] = 1  # only one half has it
    candidates = [Candidate(da.Objective(forbidden_actions=("left",)), k=1), Candidate(k=1)]
    found = select(episodes_of_three(actions=actions), candidates, gamma=0.9).scores
    lame, free = sorted(found, key=lambda score: score.candidate is candidates[1])
    assert lame.cross_fitted is None
    assert lame.fitted_q is not None
    assert free.cross_fitted is not None


def test_equal_objectives_share_a_plan():
    one, two = Candidate(da.Objective(cost=2.0)), Candidate(da.Objective(cost=2.0), k_pi=3)
    other = Candidate(da.Objective(rewards=np.ones(3)))
    assert [len(group) for group in by_plan([one, two, other])] == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"candidates": []}, "candidates"),
        ({"budget": 0}, "budget"),
        ({"budget": 2}, "env"),
        ({"gamma": 1.0}, "gamma"),
        ({"horizon": 0}, "horizon"),
        ({"estimates": ("magic",)}, "estimates"),
    ],
)
def test_wrong_questions_are_refused(cartpole, arguments, parameter):
    with pytest.raises(da.InputError, match=parameter):
        select(cartpole, **arguments)


def test_candidates_are_checked():
    with pytest.raises(da.InputError, match="k_pi"):
        Candidate(k_pi=0)
    with pytest.raises(da.InputError, match="objective"):
        Candidate(da.Objective(k=3))


def test_ctrl_c_judges_no_candidate_by_half_a_plan(cartpole, monkeypatch):
    whole = da.DacMdp.solve

    def interrupted(self, *asked, **options):
        return replace(whole(self, *asked, **options), status="interrupted")

    monkeypatch.setattr(da.DacMdp, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        da.select(cartpole, da.candidate_grid(k=(1,), cost=(1.0,), k_pi=(1,)))
