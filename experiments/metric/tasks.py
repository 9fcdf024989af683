"""Logged data of four tasks: random, or a scripted controller with 30 % random actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

import deepaveragers as da


class RandomStarts(gymnasium.Wrapper):
    """MountainCar that begins anywhere, at any speed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        """Begin an episode."""
        _, info = self.env.reset(seed=seed, options=options)
        self.unwrapped.state = self.unwrapped.np_random.uniform((-1.2, -0.07), (0.5, 0.07))
        return self.unwrapped.state.astype(np.float32), info


def random_mountain_car() -> gymnasium.Env:
    """Return MountainCar with random starts."""
    return RandomStarts(gymnasium.make("MountainCar-v0"))


def balance(states: Any) -> Any:
    """Push to the side to which the pole leans."""
    return (states[:, 2] > 0).astype(int)


def rock(states: Any) -> Any:
    """Push the way the car goes."""
    return np.where(states[:, 1] >= 0, 2, 0)


def swing(states: Any) -> Any:
    """Push the second link the way the first one goes."""
    return np.where(states[:, 4] >= 0, 0, 2)


def land(states: Any) -> Any:
    """Follow the heuristic that comes with the environment."""
    from gymnasium.envs.box2d.lunar_lander import heuristic

    class Discrete:
        unwrapped = None
        continuous = False

    lander = Discrete()
    lander.unwrapped = lander
    return np.array([heuristic(lander, state) for state in states])


@dataclass(frozen=True)
class Task:
    """A dataset and the environment in which policies from it are played.

    Attributes:
        env: where the data come from.
        steps: transitions.
        controller: the behaviour, of which 30 % is random; None is all random.
        played: where policies are judged, if not there.
    """

    env: str | Callable[[], gymnasium.Env]
    steps: int
    controller: Callable[[Any], Any] | None = None
    played: str | None = None

    def collect(self, seed: int) -> da.Transitions:
        """Return the data of a seed."""
        if self.controller is None:
            return da.collect(self.env, self.steps, seed=seed)
        return da.collect(self.env, self.steps, self.controller, epsilon=0.3, seed=seed)

    def evaluate(self, policy: Any, episodes: int, seed: int) -> da.EvaluationReport:
        """Play a policy."""
        return da.evaluate(policy, self.played or self.env, episodes, seed=seed)


TASKS = {
    "cartpole-random-2k": Task("CartPole-v1", 2_000),
    "cartpole-random-5k": Task("CartPole-v1", 5_000),
    "cartpole-medium-20k": Task("CartPole-v1", 20_000, balance),
    "mountaincar-medium-20k": Task("MountainCar-v0", 20_000, rock),
    "mountaincar-random-20k": Task(random_mountain_car, 20_000, None, "MountainCar-v0"),
    "acrobot-medium-20k": Task("Acrobot-v1", 20_000, swing),
    "lander-medium-20k": Task("LunarLander-v3", 20_000, land),
    "lander-random-20k": Task("LunarLander-v3", 20_000),
}
