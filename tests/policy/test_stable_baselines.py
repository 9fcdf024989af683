"""Stable-Baselines3's own evaluator takes our policy as it is."""

from __future__ import annotations

import gymnasium as gym
import pytest

import deepaveragers as da

evaluation = pytest.importorskip("stable_baselines3.common.evaluation")


def test_evaluate_policy(plan):
    env = gym.make("CartPole-v1")
    env.reset(seed=0)
    returns, lengths = evaluation.evaluate_policy(
        plan.policy(), env, n_eval_episodes=3, warn=False, return_episode_rewards=True
    )
    assert returns == lengths
    assert min(returns) > 22


def test_evaluate_policy_with_continuous_actions():
    data = da.collect("Pendulum-v1", steps=400, seed=0, side_by_side=1)
    policy = da.compile(data).solve().policy()
    env = gym.make("Pendulum-v1")
    env.reset(seed=0)
    mean, _ = evaluation.evaluate_policy(policy, env, n_eval_episodes=2, warn=False)
    assert -2000.0 < mean < 0.0
