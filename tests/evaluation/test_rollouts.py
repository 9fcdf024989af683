from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
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
