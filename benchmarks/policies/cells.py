"""The cells of the benchmark: a data set and its size.

'random' data are of random actions, 'medium' of a scripted controller with 30 % random actions.
Nothing is tuned on the seeds of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import gymnasium
import numpy as np
from experiments.metric.tasks import RandomStarts, balance, land, rock, swing
from experiments.pictures.cartpole import PicturePole

import deepaveragers as da

from .finite import LONGEST, FiniteEnv, FiniteWorld
from .hospital import ward
from .playing import Act, Earned, played, solved
from .sepsis import icu_sepsis

DATA_SEEDS = (10, 11, 12)
EPSILON = 0.3
"""Share of random actions in 'medium' data."""


class Task:
    """An environment, how its log is made, and how policies are judged.

    Args:
        make: the environment, for a number of steps after which episodes are cut off.
        limit: that number, for the log and for returns.
        controller: logged behaviour, of which 30 % is random; None is all random.
        episodes: that are played.
        judged: where returns are counted, if not where the log is from.
    """

    def __init__(
        self,
        make: Callable[[int], gymnasium.Env[Any, Any]],
        limit: int,
        controller: Act | None = None,
        episodes: int = 50,
        judged: Callable[[int], gymnasium.Env[Any, Any]] | None = None,
    ) -> None:
        self._make, self._limit, self._controller = make, limit, controller
        self._episodes, self._judged = episodes, judged

    def log(self, steps: int, seed: int) -> da.Transitions:
        """Return the data of a seed."""
        controller, epsilon = self._controller or "random", EPSILON if self._controller else 0.0
        make = self._make
        return da.collect(
            lambda: make(self._limit), steps, controller, epsilon=epsilon, seed=seed,
            show_progress=False,
        )  # fmt: skip

    def earned(self, act: Act) -> Earned:
        """Play a policy: its value where the log is from, its return where it is judged."""
        found = played(self._make, self._limit, act, self._episodes)
        if self._judged is None:
            return found
        return Earned(played(self._judged, self._limit, act, self._episodes).returns, found.values)

    def behaviour(self, seed: int) -> Earned:
        """Play logged behaviour."""
        return self.earned(self._mixed(self._controller, EPSILON, seed))

    def random(self, seed: int) -> Earned:
        """Play random actions."""
        return self.earned(self._mixed(None, 1.0, seed))

    def _mixed(self, controller: Act | None, epsilon: float, seed: int) -> Act:
        count = int(self._make(1).action_space.n)  # type: ignore[attr-defined]
        generator = np.random.default_rng((seed, 4))

        def act(observations: Any) -> Any:
            drawn = generator.integers(count, size=len(observations))
            if controller is None:
                return drawn
            astray = generator.random(len(observations)) < epsilon
            return np.where(astray, drawn, controller(observations))

        return act


class FiniteTask:
    """A finite world: a log is played, values are exact."""

    def __init__(self, world: Callable[[], FiniteWorld]) -> None:
        self._world = cache(world)

    def log(self, steps: int, seed: int) -> da.Transitions:
        """Return the data of a seed."""
        world, generator = self._world(), np.random.default_rng((seed, 3))

        def clinicians(observations: Any) -> Any:
            shares = np.cumsum(world.behaviour[world.states(observations)], axis=1)
            drawn = generator.random((len(observations), 1)) > shares
            return np.minimum(drawn.sum(axis=1), len(world.actions) - 1)

        return da.collect(
            lambda: FiniteEnv(world, LONGEST), steps, clinicians, seed=seed, show_progress=False
        )

    def earned(self, act: Act) -> Earned:
        """Return what a policy earns."""
        return solved(self._world(), self._world().shares(act))

    def behaviour(self, seed: int) -> Earned:
        """Return what logged behaviour earns."""
        return solved(self._world(), self._world().behaviour)

    def random(self, seed: int) -> Earned:
        """Return what random actions earn."""
        shares = np.ones_like(self._world().behaviour)
        return solved(self._world(), shares / shares.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Cell:
    """A data set of a size.

    Attributes:
        name: of the cell.
        task: where its data are from.
        steps: transitions in the data.
    """

    name: str
    task: Task | FiniteTask
    steps: int


def gym_maker(name: str) -> Callable[[int], gymnasium.Env[Any, Any]]:
    """Return a function that makes an environment whose episodes are cut off after some steps."""
    return lambda steps: gymnasium.make(name, max_episode_steps=steps, disable_env_checker=True)


_CAR = gym_maker("MountainCar-v0")
_TASKS: dict[str, Task | FiniteTask] = {
    "cartpole-random": Task(gym_maker("CartPole-v1"), 500),
    "cartpole-medium": Task(gym_maker("CartPole-v1"), 500, balance),
    "acrobot-random": Task(gym_maker("Acrobot-v1"), 500),
    "acrobot-medium": Task(gym_maker("Acrobot-v1"), 500, swing),
    "mountaincar-random": Task(lambda steps: RandomStarts(_CAR(steps)), 200, judged=_CAR),
    "mountaincar-medium": Task(_CAR, 200, rock),
    "lunarlander-random": Task(gym_maker("LunarLander-v3"), 1000, episodes=30),
    "lunarlander-medium": Task(gym_maker("LunarLander-v3"), 1000, land, episodes=30),
    "icu-sepsis": FiniteTask(icu_sepsis),
    "hospital": FiniteTask(ward),
    "cartpole-pictures": Task(lambda steps: PicturePole(), 500, episodes=30),
}
_ORDER = """
    lunarlander-medium-20k cartpole-random-2k mountaincar-medium-20k acrobot-medium-20k
    cartpole-medium-20k icu-sepsis-20k hospital-5k lunarlander-random-20k cartpole-random-20k
    cartpole-random-5k mountaincar-random-20k acrobot-random-20k cartpole-pictures-5k
    lunarlander-medium-5k mountaincar-medium-5k acrobot-medium-5k lunarlander-random-5k
    mountaincar-random-5k acrobot-random-5k lunarlander-medium-100k mountaincar-medium-100k
    acrobot-medium-100k lunarlander-random-100k mountaincar-random-100k acrobot-random-100k
"""


def _cell(name: str) -> Cell:
    task, _, size = name.rpartition("-")
    return Cell(name, _TASKS[task], 1000 * int(size.removesuffix("k")))


CELLS = {name: _cell(name) for name in _ORDER.split()}
"""In the order in which they are run."""
