"""Behaviour policies that make the datasets.

The paper's is a DQN trained online for ten million steps. On a machine without a GPU a few
lines that read the emulator's memory stand in for it ("scripted"); a network trained by
this package, or a Stable-Baselines3 DQN, can be given by its file.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

import gymnasium as gym
import numpy as np

from .games import STACK


class Behaviour(Protocol):
    """Plays one episode after another."""

    def begin(self, frame: np.ndarray) -> None:
        """Take note of an episode's first frame."""

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return an action for the newest frame."""


class FreewayWalker:
    """Walks up, whatever comes."""

    UP = 1

    def begin(self, frame: np.ndarray) -> None:
        """Take note of nothing."""

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return up."""
        return self.UP


class PongPlayer:
    """Waits where the ball will come, and meets it with a part of the paddle drawn at random.

    The memory's places of ball and paddle are those of Anand et al. (2019), "Unsupervised
    state representation learning in Atari".
    """

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
            goal = self._bounced(y + down * (self.PADDLE_X - x) / across)
        else:
            if self._incoming:
                self._meet, self._incoming = self._random.uniform(*self.MEETS), False
            goal = (y + (self.TOP + self.BOTTOM) / 2) / 2
        miss = goal - self._meet - (paddle + drift)
        if abs(miss) <= self.SLACK:
            return self.NOOP
        return self.UP if miss < 0 else self.DOWN

    def _bounced(self, y: float) -> float:
        span = self.BOTTOM - self.TOP
        folded = (y - self.TOP) % (2 * span)
        return self.TOP + min(folded, 2 * span - folded)


class SavedAgent:
    """A network or agent that reads stacks of frames, from a file.

    Args:
        path: a file of `save_encoder` (.safetensors), or of Stable-Baselines3's DQN (.zip).
    """

    def __init__(self, path: str) -> None:
        if path.endswith(".zip"):
            from stable_baselines3 import DQN

            self._predict = DQN.load(path).predict
        else:
            from deepaveragers import load_encoder

            self._predict = load_encoder(path).policy().predict
        self._frames: deque[np.ndarray] = deque(maxlen=STACK)

    def begin(self, frame: np.ndarray) -> None:
        """Fill the stack with the first frame."""
        self._frames.extend([frame] * (STACK - 1))

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return the agent's greedy action."""
        self._frames.append(frame)
        return int(self._predict(np.stack(self._frames), deterministic=True)[0])


def make_behaviour(name: str, game: str, seed: int) -> Behaviour:
    """Return a behaviour by name: "scripted", or the file of a saved agent."""
    if name != "scripted":
        return SavedAgent(name)
    if game == "Pong":
        return PongPlayer(seed)
    if game == "Freeway":
        return FreewayWalker()
    raise SystemExit(f"{game} has no scripted player; give the file of a saved agent.")
