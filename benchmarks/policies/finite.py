"""Worlds with finitely many states, whose true values come from linear equations.

    V(s) = sum_a pi(a | s) sum_s' P(s' | s, a) (r(s, a, s') + gamma V(s'))

and V = 0 where an episode ends. An observation is a row of numbers, one per
state: whoever learns from a log does not know that the states are finitely many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from scipy.spatial import cKDTree

LONGEST = 200
"""Steps after which a logged episode is cut off."""


@dataclass(frozen=True, eq=False)
class FiniteWorld:
    """A finite MDP, and how its log is made.

    Attributes:
        chances: [S, A, S] float64, of the next state.
        arriving: [S] float64, reward of arriving in a state.
        prices: [A] float64, taken off the reward for an action.
        ends: [S] bool, states in which an episode ends.
        starts: [S] float64, chances of the first state.
        observations: [S, D] float32, what is seen of each state; no two that go on are alike.
        behaviour: [S, A] float64, chances of the logged actions.
        actions: names of the actions.
    """

    chances: Any
    arriving: Any
    prices: Any
    ends: Any
    starts: Any
    observations: Any
    behaviour: Any
    actions: tuple[str, ...]
    _places: cKDTree = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", cKDTree(self.observations[~self.ends]))

    def states(self, observations: Any) -> Any:
        """Return the numbers [B] of the states that are seen as [B, D]."""
        return np.flatnonzero(~self.ends)[self._places.query(observations)[1]]

    def value(self, shares: Any, gamma: float) -> float:
        """Return the value at the start of a policy with chances [S, A] of its actions."""
        on = ~self.ends
        moves = np.einsum("sa,sat->st", shares[on], self.chances[on])
        rewards = moves @ self.arriving - shares[on] @ self.prices
        values = np.zeros(len(self.ends))
        values[on] = np.linalg.solve(np.eye(int(on.sum())) - gamma * moves[:, on], rewards)
        return float(self.starts @ values)

    def shares(self, act: Any) -> Any:
        """Return [S, A]: 1 where a policy takes an action. It is asked once in each state."""
        taken = np.zeros((len(self.ends), len(self.actions)))
        on = np.flatnonzero(~self.ends)
        taken[on, np.asarray(act(self.observations[on]))] = 1.0
        return taken

    def best(self, gamma: float) -> Any:
        """Return the chances [S, A] of an optimal policy, by policy iteration."""
        choice = np.zeros(len(self.ends), int)
        rewards = self.chances @ self.arriving - self.prices
        while True:
            moves = self.chances[np.arange(len(choice)), choice] * ~self.ends[:, None]
            earned = np.where(self.ends, 0.0, rewards[np.arange(len(choice)), choice])
            values = np.linalg.solve(np.eye(len(choice)) - gamma * moves, earned)
            q_values = rewards + gamma * self.chances @ values
            better = q_values.max(axis=1) > q_values[np.arange(len(choice)), choice] + 1e-9
            if not (better & ~self.ends).any():
                return np.eye(len(self.actions))[choice]
            choice = np.where(better, q_values.argmax(axis=1), choice)


class FiniteEnv(gymnasium.Env[Any, int]):
    """A finite world to play in."""

    def __init__(self, world: FiniteWorld, longest: int = LONGEST) -> None:
        self.world, self.longest = world, longest
        shape = world.observations.shape[1:]
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(world.actions))
        self._state = self._steps = 0

    def get_action_meanings(self) -> tuple[str, ...]:
        """Return the names of the actions."""
        return self.world.actions

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        self._state, self._steps = self._drawn(self.world.starts), 0
        return self.world.observations[self._state], {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action."""
        self._state = self._drawn(self.world.chances[self._state, action])
        self._steps += 1
        reward = self.world.arriving[self._state] - self.world.prices[action]
        ended = bool(self.world.ends[self._state])
        cut = not ended and self._steps >= self.longest
        return self.world.observations[self._state], float(reward), ended, cut, {}

    def _drawn(self, chances: Any) -> int:
        place = np.searchsorted(np.cumsum(chances), self.np_random.random(), side="right")
        return int(min(place, len(chances) - 1))
