"""Playing a policy from many starts, side by side in one room.

Only one room can be drawn per process, so the episodes share it: before each step the agent
is put where that episode left it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import deepaveragers as da

from .rooms import ACTION_NAMES, EPISODE_STEPS, NavigationRoom

Act = Callable[[np.ndarray], Any]
"""From pictures [B, 84, 84, 3], or poses [B, 3] for the control, to actions [B]."""


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What happened in E episodes.

    Attributes:
        returns: [E] float64.
        reached: [E] bool, whether the box was reached.
        touches: per episode, what was touched, in order.
        actions: per episode, the actions taken.
        paths: per episode, poses [T + 1, 3].
    """

    returns: np.ndarray
    reached: np.ndarray
    touches: list[list[str]]
    actions: list[list[int]]
    paths: list[np.ndarray]

    def count(self, thing: str) -> np.ndarray:
        """Return [E] int64, how often the thing was touched."""
        return np.array([touched.count(thing) for touched in self.touches])


def starts(episodes: int, seed: int) -> list[int]:
    """Return the seeds of that many resets; other seeds give other starts."""
    sequence = np.random.SeedSequence((seed, 8))
    return [int(number) for number in sequence.generate_state(episodes)]


def play(
    room: NavigationRoom,
    act: Act,
    resets: Sequence[int],
    *,
    steps: int = EPISODE_STEPS,
    see_pose: bool = False,
    slip: float = 0.0,
) -> Rollouts:
    """Play one episode from each reset.

    Args:
        room: where.
        act: the policy.
        resets: a seed for each episode's start.
        steps: the longest episode.
        see_pose: give the policy poses, not pictures.
        slip: chance that a random action is taken in place of the policy's.
    """
    generators = [np.random.default_rng((seed, 9)) for seed in resets]
    room.drawing = not see_pose
    first = [room.reset(seed=seed) for seed in resets]
    seen = np.stack([info["pose"] if see_pose else picture for picture, info in first])
    paths = [[info["pose"]] for _, info in first]
    touches: list[list[str]] = [[] for _ in resets]
    taken: list[list[int]] = [[] for _ in resets]
    returns = np.zeros(len(resets))
    reached = np.zeros(len(resets), dtype=bool)
    for _ in range(steps):
        playing = np.flatnonzero(~reached)
        if len(playing) == 0:
            break
        for episode, action in zip(playing, act(seen[playing]), strict=True):
            if generators[episode].random() < slip:
                action = generators[episode].integers(len(ACTION_NAMES))
            room.place(paths[episode][-1])
            room.step_count = 0
            picture, reward, terminated, _, info = room.step(int(action))
            returns[episode] += reward
            reached[episode] = terminated
            taken[episode].append(int(action))
            paths[episode].append(info["pose"])
            seen[episode] = info["pose"] if see_pose else picture
            if info["touched"]:
                touches[episode].append(info["touched"])
    room.drawing = True
    return Rollouts(returns, reached, touches, taken, [np.stack(path) for path in paths])


def actor(policy: da.Policy, encoder: da.Encoder) -> Act:
    """Return what a policy over features does when it sees pictures or poses."""
    return lambda observations: policy.act(encoder.encode(observations))
