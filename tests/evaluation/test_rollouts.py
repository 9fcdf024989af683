from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.evaluation import rollouts
from deepaveragers.evaluation.statistics import bootstrap_interval, interquartile_mean


def lean(observations):
    return (observations[:, 2] + observations[:, 3] > 0).astype(int)


def test_episodes_have_their_own_seeds():
    many = da.evaluate(lean, "CartPole-v1", episodes=8, seed=5)
    few_at_a_time = da.evaluate(lean, "CartPole-v1", episodes=8, seed=5, side_by_side=3)
    assert np.array_equal(many.returns, few_at_a_time.returns)
    assert len(set(many.returns.tolist())) > 1


def test_a_policy_plays_alike_alone_and_in_company(plan):
    policy = plan.policy(k=11)
    together = da.evaluate(policy, "CartPole-v1", episodes=4, seed=5)
    alone = da.evaluate(policy, "CartPole-v1", episodes=4, seed=5, side_by_side=1)
    assert np.array_equal(together.returns, alone.returns)


def test_report_adds_up():
    report = da.evaluate("random", "CartPole-v1", episodes=20, seed=0)
    assert np.array_equal(report.returns, report.lengths)  # CartPole pays 1 a step
    low, high = report.interval
    assert low <= report.mean <= high
    assert report.summary()["mean_return"] == report.mean


def test_random_actions_hurt():
    calm = da.evaluate(lean, "CartPole-v1", episodes=20, seed=0)
    drunk = da.evaluate(lean, "CartPole-v1", episodes=20, seed=0, epsilon=0.9)
    assert drunk.mean < 0.5 * calm.mean


def test_interquartile_mean_drops_a_quarter_at_each_end():
    assert interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -100])) == 3.5
    assert interquartile_mean(np.array([2.0])) == 2.0


def test_bootstrap_covers_the_mean():
    generator = np.random.default_rng(0)
    hits = 0
    for seed in range(200):
        low, high = bootstrap_interval(generator.normal(size=60), seed=seed)
        hits += low <= 0.0 <= high
    assert 0.88 < hits / 200 < 0.99


def test_actions_numbered_otherwise_are_refused(columns):
    swapped = da.Transitions(**{**columns, "action_names": ("1", "0")})
    policy = da.compile(swapped, k=1).solve(gamma=0.5).policy(k=1)
    with pytest.raises(da.InputError, match="numbered as in the data"):
        da.evaluate(policy, "CartPole-v1", episodes=1)


def endless():
    return gym.make("CliffWalking-v1")


def stand_still(observations):
    return np.zeros(len(observations), int)  # up, and at the upper edge nowhere


def test_a_policy_that_never_ends_is_cut_off_where_one_asks():
    report = da.evaluate(stand_still, endless, episodes=2, max_steps=50)
    assert report.lengths.tolist() == [50, 50]
    assert report.cut_off == 2
    assert "2 of them cut off" in repr(report)
    assert report.summary()["cut_off"] == 2


def test_an_environment_without_limit_gets_one_with_a_warning(monkeypatch):
    monkeypatch.setattr(rollouts, "LONGEST_EPISODE", 30)
    with pytest.warns(da.DataWarning, match="2 of 2 episodes were cut off after 30 steps"):
        report = da.evaluate(stand_still, endless, episodes=2)
    assert report.lengths.max() == 30


def test_a_limit_counts_only_episodes_that_it_ended():
    report = da.evaluate("random", "CartPole-v1", episodes=20, seed=0, max_steps=20)
    free = da.evaluate("random", "CartPole-v1", episodes=20, seed=0)
    assert free.cut_off == 0
    assert np.array_equal(report.lengths, np.minimum(free.lengths, 20))
    assert report.cut_off == (free.lengths > 20).sum()  # one that falls in step 20 ended by itself
    own = da.evaluate(stand_still, "MountainCar-v0", episodes=2, max_steps=200)
    assert own.lengths.tolist() == [200, 200]
    assert own.cut_off == 0  # MountainCar ends them itself
