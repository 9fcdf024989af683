"""Bowling: one of four good throws."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np


class Bowler:
    """Walks to a height, throws, and steers the ball when it is far enough.

    The throws were the best of 35 that were tried for one game each.
    """

    PLAYER_X, PLAYER_Y, BALL_X = 29, 40, 30
    START_X, HAND_X = 8, 15
    NOOP, FIRE, UP, DOWN = 0, 1, 2, 3
    THROWS = ((5, UP, 70), (21, DOWN, 70), (13, NOOP, 0), (1, UP, 40))
    """Height, steering, and where it begins."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng((seed, 14))
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Choose the first throw."""
        self._throw = self.THROWS[self._random.integers(len(self.THROWS))]
        self._thrown = False

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return up, down, throw or nothing."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        x, y, ball = (int(memory[i]) for i in (self.PLAYER_X, self.PLAYER_Y, self.BALL_X))
        height, steering, begins = self._throw
        if x <= self.START_X and ball <= self.HAND_X:
            if self._thrown:
                self.begin(frame)
            if y == height:
                return self.FIRE
            return self.UP if y < height else self.DOWN
        self._thrown = True
        return steering if ball > begins else self.NOOP
