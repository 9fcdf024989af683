"""Logs of Gymnasium's environments, played at random."""

from __future__ import annotations

from typing import Any

import numpy as np

import deepaveragers as da

PICTURE_SIZE = 84
STACKED = 4


def played(size: int, random: np.random.Generator, *, environment: str) -> da.Transitions:
    """Return a log of random actions."""
    seed = int(random.integers(2**31))
    return da.collect(environment, steps=size, policy="random", seed=seed)


def pictures(
    size: int, random: np.random.Generator, *, game: str, dimensions: int
) -> da.Transitions:
    """Return an Atari game at random as a random convolutional network sees it.

    The observations are the network's features, so that the pictures need not be kept.
    """
    log = da.collect(lambda: _atari(game), steps=size, seed=int(random.integers(2**31)))
    network = da.RandomNetwork(dimensions=dimensions).fit(log.observations)
    return da.Transitions(
        observations=network.encode(log.observations),
        actions=log.actions,
        rewards=log.rewards,
        next_observations=network.encode(log.next_observations),
        terminations=log.terminations,
        truncations=log.truncations,
        episode_ids=log.episode_ids,
        action_names=log.action_names,
    )


def _atari(game: str) -> Any:
    import ale_py
    import gymnasium as gym
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gym.register_envs(ale_py)
    env = gym.make(f"ALE/{game}-v5", frameskip=1, repeat_action_probability=0.25)
    env = AtariPreprocessing(env, noop_max=0, frame_skip=4, screen_size=PICTURE_SIZE)
    return FrameStackObservation(env, STACKED)
