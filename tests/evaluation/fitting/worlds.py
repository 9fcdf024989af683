"""Small worlds whose values are known exactly, and logs of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import deepaveragers as da

GAMMA = 0.9


class Always:
    """Takes one action."""

    def __init__(self, action):
        self.action = action

    def act(self, observations):
        return np.full(len(observations), self.action)


def corridor(episodes=200, *, right=0.5, seed=0, noise=0.1, length=12, cut=30):
    """Return a log of a walk on 0..length that ends at both ends and pays 1 at the right one."""
    generator = np.random.default_rng(seed)
    rows = {name: [] for name in ("s", "a", "r", "t", "end", "cut", "id", "p")}
    for episode in range(episodes):
        place = float(generator.integers(3, length - 2))
        for step in range(cut):
            action = int(generator.random() < right)
            slips = generator.random() < noise
            following = place + (1.0 if (action == 1) != slips else -1.0)
            ended = following <= 0.0 or following >= length
            for name, value in (
                ("s", place), ("a", action), ("r", float(following >= length)), ("t", following),
                ("end", ended), ("cut", not ended and step == cut - 1), ("id", episode),
                ("p", right if action else 1.0 - right),
            ):  # fmt: skip
                rows[name].append(value)
            place = following
            if ended:
                break
    return da.Transitions(
        observations=np.array(rows["s"])[:, None],
        actions=rows["a"],
        rewards=rows["r"],
        next_observations=np.array(rows["t"])[:, None],
        terminations=rows["end"],
        truncations=rows["cut"],
        episode_ids=rows["id"],
        action_names=("left", "right"),
        propensities=rows["p"],
    )


def pictures_of(log):
    """Return a log of the corridor as pictures (1, 8, 16): a bright column where one stands."""

    def drawn(places):
        columns = np.arange(16) == np.rint(places).astype(int)
        return np.repeat(255 * columns[:, None, None, :], 8, axis=2).astype(np.uint8)

    here, there = drawn(log.observations), drawn(log.next_observations)
    return replace(log, observations=here, next_observations=there)


def corridor_value(right, *, noise=0.1, length=12, gamma=GAMMA):
    """Return the exact value of going right with a chance, at a uniform start."""
    up = right * (1.0 - noise) + (1.0 - right) * noise
    inner = np.arange(1, length)
    matrix = np.eye(len(inner))
    paid = np.zeros(len(inner))
    for row, place in enumerate(inner):
        if place + 1 < length:
            matrix[row, row + 1] -= gamma * up
        else:
            paid[row] = up
        if place - 1 > 0:
            matrix[row, row - 1] -= gamma * (1.0 - up)
    values = np.linalg.solve(matrix, paid)
    return float(values[np.arange(3, length - 2) - 1].mean())


def season(episodes=60, *, seed=0, length=40, windfall=0.04):
    """Return a log of a clock, a stock that actions move, and a flag: the stock pays at the end.

    Every step pays 2 with a small chance. The flag says whether the last action was 1. Episodes
    differ in how often they take it.
    """
    generator = np.random.default_rng(seed)
    count = episodes * length
    step = np.tile(np.arange(length), episodes)
    often = np.repeat(generator.random(episodes), length)
    actions = (generator.random(count) < often).astype(int)
    moved = (np.where(actions == 1, 0.05, -0.05) + generator.normal(0.0, 0.02, count)).reshape(
        episodes, length
    )
    after = (1.0 + np.cumsum(moved, axis=1)).ravel()
    before = (1.0 + np.cumsum(moved, axis=1) - moved).ravel()
    last = step == length - 1
    flag = np.where(step == 0, 0, np.roll(actions, 1))
    return da.Transitions(
        observations=np.column_stack((step / length, before, flag)),
        actions=actions,
        rewards=2.0 * (generator.random(count) < windfall) + np.where(last, 20.0 * after, 0.0),
        next_observations=np.column_stack(((step + 1) / length, after, actions)),
        terminations=last,
        episode_ids=np.repeat(np.arange(episodes), length),
    )


def season_value(action, *, length=40, windfall=0.04, gamma=GAMMA):
    """Return the exact value of one action in every step."""
    stock = 1.0 + length * (0.05 if action == 1 else -0.05)
    windfalls = 2.0 * windfall * (1.0 - gamma**length) / (1.0 - gamma)
    return gamma ** (length - 1) * 20.0 * stock + windfalls


FALLING_ILL, RECOVERING = 0.03, 0.2
"""Chances per step of `illness`."""


def illness(episodes=60, *, seed=0, length=50):
    """Return a log of patients who fall ill and recover by chance; a step of illness costs 1."""
    generator = np.random.default_rng(seed)
    ill = np.zeros((episodes, length + 1))
    for step in range(length):
        drawn = generator.random(episodes)
        ill[:, step + 1] = np.where(ill[:, step] > 0, drawn >= RECOVERING, drawn < FALLING_ILL)
    count = episodes * length
    heat = generator.normal(size=(episodes, length + 1))
    here, there = (
        np.column_stack((ill[:, cut].ravel(), heat[:, cut].ravel()))
        for cut in (slice(None, -1), slice(1, None))
    )
    return da.Transitions(
        observations=here,
        actions=generator.integers(2, size=count),
        rewards=-here[:, 0],
        next_observations=there,
        terminations=np.zeros(count, bool),
        truncations=np.arange(count) % length == length - 1,
        episode_ids=np.repeat(np.arange(episodes), length),
    )


def illness_value(*, gamma=GAMMA):
    """Return the exact value of a healthy start."""
    moves = np.array([[1.0 - FALLING_ILL, FALLING_ILL], [RECOVERING, 1.0 - RECOVERING]])
    return float(np.linalg.solve(np.eye(2) - gamma * moves, [0.0, -1.0])[0])


BONUS, BONUS_FROM, DAYS = 25.0, 34.0, 20
"""Of `quota`: what is paid at the end, from how much sold on, and the length of an episode."""
SALES = (0.5, 1.5)
"""Least sold in a day by each action; one more with an even chance."""


def quota(episodes, *, seed=0, most=1.0):
    """Return a log of days and sales: action 1 sells more and costs .2; a bonus is paid at the end.

    Episodes differ in how often they take action 1, up to `most`. Last rows repeat the state.
    """
    generator = np.random.default_rng(seed)
    often = most * np.repeat(generator.random(episodes), DAYS)
    actions = (generator.random(episodes * DAYS) < often).astype(int)
    sold = np.array(SALES)[actions] + (generator.random(len(actions)) < 0.5)
    sold = np.cumsum(sold.reshape(episodes, DAYS), axis=1)
    before = np.column_stack((np.zeros(episodes), sold[:, :-1]))
    days = np.tile(np.arange(DAYS), episodes)
    last = days == DAYS - 1
    here = np.column_stack((days, before.ravel()))
    there = np.column_stack((days + 1, sold.ravel()))
    return da.Transitions(
        observations=here,
        actions=actions,
        rewards=-0.2 * actions + np.where(last & (here[:, 1] >= BONUS_FROM), BONUS, 0.0),
        next_observations=np.where(last[:, None], here, there),
        terminations=last,
        episode_ids=np.repeat(np.arange(episodes), DAYS),
    )


def quota_value(action, *, gamma=0.99):
    """Return the exact value of one action in every step."""
    days = DAYS - 1
    needed = BONUS_FROM - days * SALES[action]
    chances = [math.comb(days, lucky) / 2.0**days for lucky in range(days + 1) if lucky >= needed]
    costs = 0.2 * action * (1.0 - gamma**DAYS) / (1.0 - gamma)
    return gamma**days * BONUS * sum(chances) - costs
