"""Playing many policies on one game, side by side.

Every (policy, episode) is a lane with an emulator of its own. In each step the pictures of all
lanes that still play are encoded in one pass, and each policy decides on its own rows. Loading a
game takes as long as some hundred steps, so emulators are kept, and an episode's beginning is
made once and copied to all of its lanes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

import deepaveragers as da

from .behaviour import Behaviour
from .games import SIDE, STACK, make_game
from .protocol import EPSILON

Encode = Callable[[np.ndarray], np.ndarray]
"""From stacks [B, 4, side, side] to what the policies read [B, ...]."""
Decide = Callable[[np.ndarray], np.ndarray]
"""From what `Encode` gave [B, ...] to actions [B]."""


def episode_seed(seed: int, episode: int) -> int:
    """Return the emulator's seed; the same for every policy."""
    return seed * 100_000 + 50_000 + episode


class Arcade:
    """Emulators of one game, and the beginnings of its episodes.

    Args:
        game: its name.
        max_frames: at which an episode is cut.
        side: of a picture, in pixels.
    """

    def __init__(self, game: str, max_frames: int, side: int = SIDE) -> None:
        self.game = game
        self._made = {"stack": False, "max_frames": max_frames, "side": side}
        self._idle: list[gym.Env[Any, Any]] = []
        self._beginnings: dict[int, tuple[Any, np.ndarray]] = {}

    def borrow(self, seed: int) -> tuple[gym.Env[Any, Any], np.ndarray]:
        """Return an emulator at the beginning of the episode of this seed, and its first frame."""
        env = self._idle.pop() if self._idle else make_game(self.game, **self._made)
        if seed not in self._beginnings:
            frame, _ = env.reset(seed=seed)
            state = env.unwrapped.ale.cloneState(include_rng=True)  # type: ignore[attr-defined]
            self._beginnings[seed] = state, frame
        else:
            env.reset()
            env.unwrapped.ale.restoreState(self._beginnings[seed][0])  # type: ignore[attr-defined]
        return env, self._beginnings[seed][1]

    def give_back(self, env: gym.Env[Any, Any]) -> None:
        """Take back an emulator whose episode is over."""
        self._idle.append(env)


def play_together(
    arcade: Arcade, encode: Encode, policies: Sequence[Decide], *, episodes: int, seed: int
) -> list[da.EvaluationReport]:
    """Play all policies for the same episodes, and return a report for each.

    Args:
        arcade: of the game.
        encode: the representation that they share.
        policies: from encoded pictures to actions, greedy; one action in a thousand is random.
        episodes: of each policy.
        seed: of the episodes.
    """
    began = time.perf_counter()
    lanes = [_Lane(arcade, seed, e) for _ in policies for e in range(episodes)]
    owners = np.repeat(np.arange(len(policies)), episodes)
    while True:
        living = np.flatnonzero([not lane.over for lane in lanes])
        if not len(living):
            break
        codes = encode(np.stack([lanes[number].stack for number in living]))
        for number, policy in enumerate(policies):
            mine = owners[living] == number
            if mine.any():
                actions = np.asarray(policy(codes[mine]))
                for lane, action in zip(living[mine], actions, strict=True):
                    lanes[lane].step(int(action))
    seconds = (time.perf_counter() - began) / len(policies)
    returns = np.array([lane.total for lane in lanes]).reshape(-1, episodes)
    lengths = np.array([lane.steps for lane in lanes]).reshape(-1, episodes)
    return [da.EvaluationReport(*row, seconds) for row in zip(returns, lengths, strict=True)]


def play_behaviour(
    arcade: Arcade, player: Behaviour | None, *, episodes: int, seed: int
) -> da.EvaluationReport:
    """Play a behaviour, or at random where there is none."""
    began = time.perf_counter()
    lanes = [_Lane(arcade, seed, e) for e in range(episodes)]
    for lane in lanes:
        if player is not None:
            player.begin(lane.stack[-1])
        while not lane.over:
            if player is None:
                lane.step(int(lane.random.integers(lane.num_actions)))
            else:
                lane.step(player.act(lane.env, lane.stack[-1]))
    returns = np.array([lane.total for lane in lanes])
    lengths = np.array([lane.steps for lane in lanes])
    return da.EvaluationReport(returns, lengths, time.perf_counter() - began)


class _Lane:
    """An emulator in one episode, with its last four frames."""

    def __init__(self, arcade: Arcade, seed: int, episode: int) -> None:
        self._arcade = arcade
        self.env, frame = arcade.borrow(episode_seed(seed, episode))
        self.num_actions = int(self.env.action_space.n)  # type: ignore[attr-defined]
        self.random = np.random.default_rng((seed, episode))
        self.stack = np.repeat(frame[None], STACK, axis=0)
        self.total, self.steps, self.over = 0.0, 0, False

    def step(self, action: int) -> None:
        """Take an action, or now and then a random one."""
        if self.random.random() < EPSILON:
            action = int(self.random.integers(self.num_actions))
        frame, reward, terminated, truncated, _ = self.env.step(action)
        self.stack = np.concatenate([self.stack[1:], frame[None]])
        self.total += float(reward)
        self.steps += 1
        self.over = terminated or truncated
        if self.over:
            self._arcade.give_back(self.env)
