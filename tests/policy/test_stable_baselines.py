"""Stable-Baselines3's own evaluator takes our policy as it is."""

from __future__ import annotations

import gymnasium as gym
import pytest

evaluation = pytest.importorskip("stable_baselines3.common.evaluation")


def test_evaluate_policy(plan):
    env = gym.make("CartPole-v1")
    env.reset(seed=0)
    returns, lengths = evaluation.evaluate_policy(
        plan.policy(), env, n_eval_episodes=3, warn=False, return_episode_rewards=True
    )
    assert returns == lengths
    assert min(returns) > 22
