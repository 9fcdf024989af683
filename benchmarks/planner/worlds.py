"""Logs of small worlds: rooms with doors, a grid, a store that orders goods."""

from __future__ import annotations

import numpy as np

import deepaveragers as da

from .synthetic import Generator, as_log


def rooms(
    size: int, random: Generator, *, across: int, actions: int, steps: int, stride: float
) -> da.Transitions:
    """A point in `across` x `across` rooms with narrow doors; 1 for reaching a corner, once.

    Episodes are long, the reward is seldom, and in two dimensions neighbours are near.
    """
    episodes = -(-size // steps)
    angles = 2.0 * np.pi * np.arange(actions) / actions
    moves = stride * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    taken = random.integers(0, actions, (episodes, steps))
    before = np.empty((episodes, steps, 2), np.float32)
    after = np.empty_like(before)
    ended = np.zeros((episodes, steps), bool)
    state = random.uniform(0.0, across, (episodes, 2))
    for step in range(steps):
        before[:, step] = state
        goal = state + moves[taken[:, step]] + 0.1 * stride * random.normal(size=state.shape)
        state = _without_walls(state, np.clip(goal, 0.0, across - 1e-6))
        after[:, step] = state
        there = ended[:, step] = (state > across - 0.2).all(axis=1)
        state = np.where(there[:, None], random.uniform(0.0, across, state.shape), state)
    return as_log(size, before, after, taken, ended.astype(float), ended, actions)


def _without_walls(here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return where one comes to: rooms are unit squares, doors the middle fifth of a wall."""
    crossed = np.floor(here) != np.floor(there)
    in_door = np.abs(here % 1.0 - 0.5) < 0.1
    allowed = ~crossed | (in_door[:, ::-1] & ~crossed[:, ::-1])
    return np.where(allowed, there, here)


def grid(
    size: int, random: Generator, *, width: int, walls: float, wind: float, steps: int
) -> da.Transitions:
    """Cells, four moves and a stay; -1 a step till the goal. Neighbours are exact duplicates."""
    wall = random.random((width, width)) < walls
    wall[-1, -1] = False
    free = np.argwhere(~wall)
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0]])
    episodes = -(-size // steps)
    taken = random.integers(0, len(moves), (episodes, steps))
    before = np.empty((episodes, steps, 2), np.float32)
    after = np.empty_like(before)
    ended = np.zeros((episodes, steps), bool)
    state = free[random.integers(0, len(free), episodes)]
    for step in range(steps):
        before[:, step] = state
        blown = random.random(episodes) < wind
        move = np.where(blown, random.integers(0, len(moves), episodes), taken[:, step])
        goal = np.clip(state + moves[move], 0, width - 1)
        state = np.where(wall[goal[:, 0], goal[:, 1]][:, None], state, goal)
        after[:, step] = state
        there = ended[:, step] = (state == width - 1).all(axis=1)
        state = np.where(there[:, None], free[random.integers(0, len(free), episodes)], state)
    rewards = np.where(ended, 0.0, -1.0)
    return as_log(size, before, after, taken, rewards, ended, len(moves))


def store(
    size: int, random: Generator, *, actions: int, steps: int, holding: float, fixed: float
) -> da.Transitions:
    """A store that orders goods day after day: uncertain demand, every reward its costs.

    The state is the stock, what is on order and the level of demand.
    """
    episodes = -(-size // steps)
    taken = random.integers(0, actions, (episodes, steps))
    states = np.empty((episodes, steps + 1, 3), np.float32)
    rewards = np.empty((episodes, steps))
    stock = random.uniform(0.0, 2.0 * actions, episodes)
    ordered, level = np.zeros(episodes), random.uniform(2.0, actions - 2.0, episodes)
    states[:, 0] = np.stack([stock, ordered, level], axis=1)
    for step in range(steps):
        demand = random.poisson(level)
        sold = np.minimum(stock, demand)
        order = taken[:, step]
        rewards[:, step] = sold - holding * stock - 0.5 * (demand - sold) - fixed * (order > 0)
        stock = np.minimum(stock - sold + ordered, 4.0 * actions)
        ordered = order.astype(float)
        level = np.clip(level + 0.3 * random.normal(size=episodes), 1.0, actions - 1.0)
        states[:, step + 1] = np.stack([stock, ordered, level], axis=1)
    ended = np.zeros((episodes, steps), bool)
    return as_log(size, states[:, :-1], states[:, 1:], taken, rewards, ended, actions)
