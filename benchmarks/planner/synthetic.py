"""Logs of made-up systems, each with something that a planner may find hard.

Every function returns `size` transitions of a random behaviour. Its keywords are what the
development and the report sets differ in (`families.py`).
"""

from __future__ import annotations

import numpy as np

import deepaveragers as da

Generator = np.random.Generator


def as_log(
    size: int,
    before: np.ndarray,
    after: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
    num_actions: int,
) -> da.Transitions:
    """Return episodes [E, T, ...], played side by side, as one log; the last steps are cuts."""
    cut = np.zeros_like(ended)
    cut[:, -1] = ~ended[:, -1]
    return da.Transitions(
        observations=before.reshape(-1, before.shape[-1])[:size],
        actions=actions.ravel()[:size],
        rewards=rewards.ravel()[:size],
        next_observations=after.reshape(-1, after.shape[-1])[:size],
        terminations=ended.ravel()[:size],
        truncations=cut.ravel()[:size],
        action_names=[f"action {a}" for a in range(num_actions)],
    )


def box_walks(
    size: int,
    random: Generator,
    *,
    dimensions: int,
    actions: int,
    steps: int,
    push: float,
    ended: float,
) -> da.Transitions:
    """Walks in a box with drift; the reward falls off with the distance to one place.

    A share `ended` of the episodes ends after `steps`; the others are cut there.
    """
    episodes = -(-size // steps)
    pushes = push * random.normal(size=(actions, dimensions))
    state = random.uniform(-1.0, 1.0, (episodes, dimensions))
    taken = random.integers(0, actions, (episodes, steps))
    before = np.empty((episodes, steps, dimensions), np.float32)
    after = np.empty_like(before)
    for step in range(steps):
        before[:, step] = state
        state = state + pushes[taken[:, step]] + 0.05 * np.sin(3.0 * state[:, ::-1])
        state = np.clip(state + 0.02 * random.normal(size=state.shape), -1.5, 1.5)
        after[:, step] = state
    ends = np.zeros((episodes, steps), bool)
    ends[:, -1] = random.random(episodes) < ended
    rewards = np.exp(-2.0 * ((after - 0.5) ** 2).sum(axis=2))
    return as_log(size, before, after, taken, rewards, ends, actions)


def shuffled_walks(
    size: int, random: Generator, *, dimensions: int, actions: int, steps: int, push: float
) -> da.Transitions:
    """The same walks, their rows in no order: no trajectory can be followed."""
    log = box_walks(
        size, random, dimensions=dimensions, actions=actions, steps=steps, push=push, ended=0.5
    )
    order = random.permutation(size)
    return da.Transitions(
        observations=log.observations[order],
        actions=log.actions[order],
        rewards=log.rewards[order],
        next_observations=log.next_observations[order],
        terminations=log.terminations[order],
        action_names=log.action_names,
    )


def noisy_latent(
    size: int,
    random: Generator,
    *,
    hidden: int,
    latent: int,
    actions: int,
    steps: int,
    rewarded: float,
) -> da.Transitions:
    """A latent, through a random layer, of a noisy smooth system of few dimensions.

    The reward is 1 in a share `rewarded` of the states and 0 elsewhere; nothing ever ends.
    """
    turn = np.linalg.qr(random.normal(size=(hidden, hidden)))[0] * 1.02
    pushes = 0.25 * random.normal(size=(actions, hidden))
    inner, shift = 0.7 * random.normal(size=(hidden, 64)), random.normal(size=64)
    outer = random.normal(size=(64, latent)) / 8.0
    place = random.normal(size=hidden)
    episodes = -(-size // steps)
    state = random.normal(size=(episodes, hidden))
    taken = random.integers(0, actions, (episodes, steps))
    latents = np.empty((episodes, steps + 1, latent), np.float32)
    height = np.empty((episodes, steps + 1))
    for step in range(steps + 1):
        latents[:, step] = np.tanh(state @ inner + shift) @ outer
        height[:, step] = state @ place
        if step < steps:
            state = np.tanh(state @ turn + pushes[taken[:, step]])
            state += 0.02 * random.normal(size=state.shape)
    rewards = (height[:, 1:] > np.quantile(height[:, 1:], 1.0 - rewarded)).astype(float)
    ended = np.zeros((episodes, steps), bool)
    return as_log(size, latents[:, :-1], latents[:, 1:], taken, rewards, ended, actions)


def far_neighbors(
    size: int, random: Generator, *, dimensions: int, actions: int, steps: int, memory: float
) -> da.Transitions:
    """A system that forgets most of its state at each step: every neighbour is far away."""
    episodes = -(-size // steps)
    pushes = random.normal(size=(actions, dimensions))
    taken = random.integers(0, actions, (episodes, steps))
    worth = random.normal(size=dimensions) / np.sqrt(dimensions)
    states = np.empty((episodes, steps + 1, dimensions), np.float32)
    states[:, 0] = random.normal(size=(episodes, dimensions))
    for step in range(steps):
        states[:, step + 1] = memory * states[:, step] + pushes[taken[:, step]]
        states[:, step + 1] += random.normal(size=(episodes, dimensions))
    ended = np.zeros((episodes, steps), bool)
    ended[:, -1] = True
    rewards = np.tanh(states[:, 1:] @ worth)
    return as_log(size, states[:, :-1], states[:, 1:], taken, rewards, ended, actions)
