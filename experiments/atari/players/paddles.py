"""Pong and Breakout: the paddle goes where the ball will come."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np


class PongPlayer:
    """Waits where the ball will come, and meets it with a part of the paddle drawn at random."""

    BALL_X, BALL_Y, PADDLE_Y = 49, 54, 51
    TOP, BOTTOM, PADDLE_X = 44, 207, 188
    NOOP, UP, DOWN = 0, 2, 3
    MEETS = (-2.0, 14.0)
    SLACK = 5.0

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng((seed, 11))
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's ball."""
        self._last: tuple[int, int, int] | None = None
        self._meet = self._random.uniform(*self.MEETS)
        self._incoming = False

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return up, down or nothing."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        x, y, paddle = (int(memory[i]) for i in (self.BALL_X, self.BALL_Y, self.PADDLE_Y))
        last, self._last = self._last, (x, y, paddle)
        if last is None or y == 0 or last[1] == 0:
            return self.NOOP
        across, down, drift = x - last[0], y - last[1], paddle - last[2]
        if across > 0 and x < self.PADDLE_X:
            self._incoming = True
            ahead = y + down * (self.PADDLE_X - x) / across
            goal = bounced(ahead, self.TOP, self.BOTTOM)
        else:
            if self._incoming:
                self._meet, self._incoming = self._random.uniform(*self.MEETS), False
            goal = (y + (self.TOP + self.BOTTOM) / 2) / 2
        miss = goal - self._meet - (paddle + drift)
        if abs(miss) <= self.SLACK:
            return self.NOOP
        return self.UP if miss < 0 else self.DOWN


class BreakoutPlayer:
    """Serves at once, follows the rising ball, and waits where the falling one will come."""

    BALL_X, BALL_Y, PADDLE_X = 99, 101, 72
    LEFT_WALL, RIGHT_WALL, PADDLE_Y, MIDDLE_Y = 55, 200, 189, 100
    NOOP, FIRE, RIGHT, LEFT = 0, 1, 2, 3
    MEET, SLACK = 8.0, 6.0

    def __init__(self) -> None:
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's ball."""
        self._last: tuple[int, int, int] | None = None

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return fire, right, left or nothing."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        x, y, paddle = (int(memory[i]) for i in (self.BALL_X, self.BALL_Y, self.PADDLE_X))
        last, self._last = self._last, (x, y, paddle)
        if last is None or y == 0 or last[1] == 0:
            return self.FIRE
        across, down, drift = x - last[0], y - last[1], paddle - last[2]
        goal = float(x + across)
        if down > 0 and y > self.MIDDLE_Y:
            ahead = x + across * (self.PADDLE_Y - y) / down
            goal = bounced(ahead, self.LEFT_WALL, self.RIGHT_WALL)
        miss = goal - self.MEET - (paddle + drift)
        if abs(miss) <= self.SLACK:
            return self.NOOP
        return self.RIGHT if miss > 0 else self.LEFT


def bounced(place: float, low: float, high: float) -> float:
    """Return where a ball is that would be at `place` if there were no walls."""
    span = high - low
    folded = (place - low) % (2 * span)
    return low + min(folded, 2 * span - folded)
