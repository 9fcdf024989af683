"""Small worlds whose true values can be had by playing, many episodes side by side in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import deepaveragers as da

Generator = np.random.Generator


@dataclass(frozen=True)
class World:
    """A world, and how its log is made.

    Attributes:
        name: of the world.
        actions: names of the actions.
        starts: first states [B, D] for a generator and B.
        step: next states, rewards and ends for a generator, states and actions.
        chances: [B, A] of logged behaviour in states [B, D].
        episodes: in a log.
        cut: steps after which a logged episode is cut off.
        gamma: discount.
        logged: whether the log has propensities.
    """

    name: str
    actions: tuple[str, ...]
    starts: Callable[[Generator, int], Any]
    step: Callable[[Generator, Any, Any], tuple[Any, Any, Any]]
    chances: Callable[[Any], Any]
    episodes: int
    cut: int
    gamma: float = 0.95
    logged: bool = False

    def log(self, seed: int) -> da.Transitions:
        """Return a log of behaviour."""
        generator = np.random.default_rng((seed, 1))
        states = self.starts(generator, self.episodes)
        playing = np.arange(self.episodes)
        rows: list[tuple[Any, ...]] = []
        for step in range(self.cut):
            chances = self.chances(states)
            actions = _drawn(generator, chances)
            following, rewards, ended = self.step(generator, states, actions)
            taken = chances[np.arange(len(actions)), actions]
            last = np.full(len(actions), step == self.cut - 1) & ~ended
            rows.append((states, actions, rewards, following, ended, last, playing, taken))
            states, playing = following[~ended], playing[~ended]
            if len(playing) == 0:
                break
        columns = [np.concatenate(parts) for parts in zip(*rows, strict=True)]
        order = np.argsort(columns[6], kind="stable")
        s, a, r, t, ended, last, ids, taken = (column[order] for column in columns)
        return da.Transitions(
            observations=s, actions=a, rewards=r, next_observations=t, terminations=ended,
            truncations=last, episode_ids=ids, action_names=self.actions,
            propensities=taken if self.logged else None,
        )  # fmt: skip

    def span(self, seed: int) -> float:
        """Return how far the discounted returns of a log's episodes lie apart."""
        data = self.log(seed)
        returns = [
            float(data.rewards[one] @ self.gamma ** np.arange(one.stop - one.start))
            for one in data.episodes()
        ]
        return max(returns) - min(returns)

    def value(self, act: Callable[[Any], Any], episodes: int, seed: int) -> tuple[float, float]:
        """Return the mean discounted return of a policy, and its standard error."""
        generator = np.random.default_rng((seed, 2))
        states = self.starts(generator, episodes)
        playing, returns = np.arange(episodes), np.zeros(episodes)
        for step in range(int(np.ceil(np.log(1e-3) / np.log(self.gamma)))):
            states, rewards, ended = self.step(generator, states, act(states))
            returns[playing] += self.gamma**step * rewards
            states, playing = states[~ended], playing[~ended]
            if len(playing) == 0:
                break
        return float(returns.mean()), float(returns.std() / np.sqrt(episodes))

    def behaviour(self, episodes: int, seed: int) -> tuple[float, float]:
        """Return the value of logged behaviour, and its standard error."""
        generator = np.random.default_rng((seed, 3))
        return self.value(lambda s: _drawn(generator, self.chances(s)), episodes, seed)


def _drawn(generator: Generator, chances: Any) -> Any:
    return (generator.random((len(chances), 1)) > np.cumsum(chances, axis=1)).sum(axis=1)


def _mixed(best: Any, actions: int, share: float) -> Any:
    """Return chances of taking the best action, or with a share any action at random."""
    return np.eye(actions)[best] * (1.0 - share) + share / actions


def _corridor_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    right = (a == 1) != (generator.random(len(s)) < 0.15)
    following = s + np.where(right, 1.0, -1.0)[:, None]
    place = following[:, 0]
    return following, (place >= 10.0).astype(float), (place <= 0.0) | (place >= 10.0)


def _bandit_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    means = np.stack((0.3 * s[:, 0], 0.4 * s[:, 1] - 0.1, 0.2 * np.cos(2.0 * s[:, 0])), axis=1)
    rewards = means[np.arange(len(s)), a] + generator.normal(size=len(s))
    return s, rewards, np.ones(len(s), bool)


def _patient_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    """Severity, frailty and pressure of a patient; doses 0, 1, 2 help, and too much harms."""
    severity, frailty, pressure = s.T
    effect = np.array([0.0, 0.55, 0.8])[a]
    harm = np.array([0.0, 0.1, 0.5])[a] * frailty
    severity = 0.95 * severity + 0.25 - effect + 0.3 * generator.normal(size=len(s))
    pressure = 0.8 * pressure - 0.3 * severity - harm + 0.3 * generator.normal(size=len(s))
    following = np.stack((severity, frailty, pressure), axis=1)
    dies = generator.random(len(s)) < 1.0 / (1.0 + np.exp(5.0 - 1.2 * severity + pressure))
    well = ~dies & (severity < -0.5)
    return following, np.where(dies, -1.0, np.where(well, 1.0, 0.0)), dies | well


def _patient_starts(generator: Generator, count: int) -> Any:
    severity = generator.uniform(0.5, 2.5, count)
    return np.stack((severity, generator.uniform(0, 1, count), generator.normal(size=count)), 1)


def _clinician(s: Any) -> Any:
    best = np.where(s[:, 0] > 1.5, 2, np.where(s[:, 0] > 0.5, 1, 0))
    return _mixed(best, 3, 0.45)


def _tank_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    """Level and inflow of a tank; a valve of three openings keeps the level near 0."""
    level, inflow = s.T
    inflow = 0.9 * inflow + 0.2 * generator.normal(size=len(s))
    level = np.clip(level + 0.3 * inflow + 0.3 * (1.0 - a), -3.0, 3.0)
    following = np.stack((level, inflow), axis=1)
    return following, -(level**2) - 0.05 * (a != 1), np.zeros(len(s), bool)


def _shop_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    """Stock and season of a shop; order 0, 4 or 8 pieces."""
    stock, season = s.T
    demand = generator.poisson(3.0 + 2.0 * np.sin(season))
    stock = np.minimum(stock + 4.0 * a, 20.0)
    sold = np.minimum(stock, demand)
    rewards = sold - 0.15 * (stock - sold) - 0.5 * (a > 0) - 0.3 * (demand - sold)
    season = np.mod(season + 0.25, 2.0 * np.pi)
    return np.stack((stock - sold, season), axis=1), rewards, np.zeros(len(s), bool)


def _charger_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    """Half hours, charge, heat and price at a bus's charger; a full bus is paid at the end.

    Fast charging may trip the charger, the more the hotter it is. The last row of a night repeats
    the state, as tables do.
    """
    hours, charge, heat, price = s.T
    power = np.array([0.0, 4.0, 8.0])[a]
    trips = (a == 2) & (generator.random(len(s)) < 0.01 + 0.03 * np.maximum(heat, 0.0))
    last = hours >= 19.0
    paid = np.where(charge >= 85.0, 30.0, charge / 10.0)
    rewards = np.where(trips, -15.0, np.where(last, paid, 0.0)) - 0.05 * power * price
    charge = np.minimum(charge + power + 0.8 * generator.normal(size=len(s)) * (a > 0), 100.0)
    heat = 0.7 * heat + 0.15 * power - 0.4 + 0.3 * generator.normal(size=len(s))
    following = np.stack((hours + 1.0, charge, heat, price), axis=1)
    ended = trips | last
    return np.where(ended[:, None], s, following), rewards, ended


def _charger_starts(generator: Generator, count: int) -> Any:
    charge, price = generator.uniform(15, 50, count), generator.uniform(0.5, 2.0, count)
    return np.stack((np.zeros(count), charge, np.zeros(count), price), axis=1)


def _dam_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    """Week, level and rain at a dam: selling pays, spilling and a low level at last cost."""
    week, level, rain = s.T
    sold = np.minimum(np.array([0.0, 5.0, 10.0])[a], level)
    rain = np.maximum(0.7 * rain + 1.5 + 1.5 * generator.normal(size=len(s)), 0.0)
    level = level - sold + rain
    last = week >= 15.0
    rewards = 0.2 * sold - 5.0 * (level > 60.0) - np.where(last & (level < 35.0), 15.0, 0.0)
    following = np.stack((week + 1.0, np.minimum(level, 60.0), rain), axis=1)
    return following, rewards, last


def _pole_step(generator: Generator, s: Any, a: Any) -> tuple[Any, Any, Any]:
    """Place and speed of a cart, angle and turn of the pole on it, in some wind; it may fall."""
    place, speed, angle, turn = s.T
    push = np.where(a == 1, 0.2, -0.2)
    wind = 0.02 * generator.normal(size=len(s))
    turned = turn + 0.3 * angle - 1.4 * push + wind
    following = np.stack((place + 0.02 * speed, speed + push, angle + 0.02 * turn, turned), axis=1)
    ended = (np.abs(following[:, 2]) > 0.2) | (np.abs(following[:, 0]) > 2.0)
    return following, np.ones(len(s)), ended


WORLDS = (
    World(
        "corridor", ("left", "right"),
        lambda g, n: g.integers(3, 8, n).astype(float)[:, None], _corridor_step,
        lambda s: np.tile((0.5, 0.5), (len(s), 1)), 150, 200,
    ),
    World(
        "bandit", ("a", "b", "c"), lambda g, n: g.normal(size=(n, 2)), _bandit_step,
        lambda s: _mixed((s[:, 0] > 0).astype(int), 3, 0.6), 1_000, 1, logged=True,
    ),
    World("hospital", ("none", "low", "high"), _patient_starts, _patient_step, _clinician, 300, 60),
    World(
        "tank", ("fill", "hold", "drain"),
        lambda g, n: np.stack((g.uniform(-2, 2, n), g.normal(size=n)), 1), _tank_step,
        lambda s: _mixed(np.where(s[:, 0] > 0.7, 2, np.where(s[:, 0] < -0.7, 0, 1)), 3, 0.5),
        60, 50,
    ),
    World(
        "pole", ("left", "right"), lambda g, n: 0.05 * g.uniform(-1, 1, (n, 4)), _pole_step,
        lambda s: np.full((len(s), 2), 0.5), 30, 200, gamma=0.97,
    ),
    World(
        "shop", ("0", "4", "8"),
        lambda g, n: np.stack((g.integers(0, 15, n).astype(float), g.uniform(0, 6.28, n)), 1),
        _shop_step, lambda s: _mixed((s[:, 0] < 6).astype(int), 3, 0.4), 50, 60,
    ),
    World(
        "chargers", ("off", "slow", "fast"), _charger_starts, _charger_step,
        lambda s: _mixed(np.where(s[:, 1] < 60, 1, 0), 3, 0.4), 230, 25, gamma=0.99,
    ),
    World(
        "dam", ("hold", "some", "much"),
        lambda g, n: np.stack((np.zeros(n), g.uniform(20, 50, n), g.uniform(0, 8, n)), 1),
        _dam_step, lambda s: _mixed((s[:, 1] > 30).astype(int) + (s[:, 1] > 45), 3, 0.5), 150, 20,
        gamma=0.99,
    ),
)  # fmt: skip
