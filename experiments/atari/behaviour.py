"""Behaviour policies that make the datasets.

The paper's is a DQN trained online for ten million steps. On a machine without a GPU short
scripts that read the emulator's memory stand in for it ("scripted"); a network trained by
this package, or a Stable-Baselines3 DQN, can be given by its file.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

import gymnasium as gym
import numpy as np

from .games import STACK
from .players.bowling import Bowler
from .players.paddles import BreakoutPlayer, PongPlayer
from .players.shooters import AtlantisPlayer, SpaceInvadersPlayer
from .players.walkers import AmidarPlayer, FreewayPlayer, FreewayWalker, QbertPlayer


class Behaviour(Protocol):
    """Plays one episode after another."""

    def begin(self, frame: np.ndarray) -> None:
        """Take note of an episode's first frame."""

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return an action for the newest frame."""


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
    """Return a behaviour by name.

    Args:
        name: "scripted"; "straight", the same but for Freeway's player, which never waits;
            or the file of a saved agent.
        game: as in `GAMES`.
        seed: of the player's choices.
    """
    if name not in ("scripted", "straight"):
        return SavedAgent(name)
    if name == "straight" and game == "Freeway":
        return FreewayWalker()
    players: dict[str, Behaviour] = {
        "Pong": PongPlayer(seed),
        "Breakout": BreakoutPlayer(),
        "SpaceInvaders": SpaceInvadersPlayer(),
        "Qbert": QbertPlayer(seed),
        "Atlantis": AtlantisPlayer(),
        "Bowling": Bowler(seed),
        "Freeway": FreewayPlayer(),
        "Amidar": AmidarPlayer(seed),
    }
    if game not in players:
        raise SystemExit(f"{game} has no scripted player; give the file of a saved agent.")
    return players[game]
