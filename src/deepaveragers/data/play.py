"""Playing episodes in many environments side by side.

Both collecting and evaluating are built on `play`. Episode number e is always reset with
the seed (seed, e) and its true last observation is kept, because nothing here resets an
environment before the end of an episode was recorded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from ..arrays import Array, Int64
from ..errors import InputError
from ..progress import Advance
from .environment_actions import actions_of
from .environments import EnvironmentSource, close, maker, observation_reader
from .frame_track import FrameTrack

Act = Callable[[Array, Int64], Any]
"""From observations [B, ...] and the numbers of their episodes [B] to actions: [B] numbers in
0..A-1, or rows [B, Da]."""


@dataclass(eq=False)
class Episode:
    """One episode, finished or cut off.

    Attributes:
        number: its place in the sequence of seeds.
        current: the newest observation.
        track: all T+1 observations; None when steps are not recorded.
        actions: T numbers in 0..A-1, or rows; empty when steps are not recorded.
        rewards: T numbers.
        terminated: whether it ended by the environment's own rules.
        truncated: whether it was cut off, by a time limit or because playing stopped.
        stopped: whether it was `play`'s own limit that cut it off.
    """

    number: int
    current: Array
    track: FrameTrack | None = None
    actions: list[Any] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False
    stopped: bool = False

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.terminated or self.truncated


def play(
    source: EnvironmentSource,
    act: Act,
    *,
    seed: int,
    side_by_side: int,
    episodes: int | None = None,
    steps: int | None = None,
    max_steps: int | None = None,
    record: bool = True,
    advance: Advance,
) -> list[Episode]:
    """Play until so many episodes have ended, or so many steps were taken in all.

    Args:
        source: the environment.
        act: chooses the actions.
        seed: with it and the same arguments, the same episodes.
        side_by_side: number of environments at most.
        episodes: stop after this many; `advance` then counts episodes.
        steps: stop after this many; unfinished episodes are truncated. `advance` counts steps.
        max_steps: after which an episode is truncated; None leaves that to the environment.
        record: keep observations and actions; without, rewards only.
        advance: called as the work goes on.
    """
    finished: list[Episode] = []
    left = math.inf if steps is None else steps
    with _Arena(source, seed, record, max_steps) as arena:
        arena.open(min(side_by_side, steps or side_by_side, episodes or side_by_side))
        while arena.seats and left > 0:
            active = arena.seats[: int(min(left, len(arena.seats)))]
            for seat, action in zip(active, _choose(act, active, arena.actions.shape), strict=True):
                arena.step(seat, action)
            left -= len(active)
            ended = [seat for seat in active if seat.episode.ended]
            finished += [seat.episode for seat in ended]
            for seat in ended:
                if episodes is None or arena.started < episodes:
                    arena.begin(seat)
                else:
                    arena.leave(seat)
            advance(len(ended) if steps is None else len(active))
        finished += arena.cut_off()
    return sorted(finished, key=lambda episode: episode.number)


def episode_seed(seed: int, number: int) -> int:
    """Return the seed with which episode `number` is reset."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1)[0])


@dataclass(eq=False)
class _Seat:
    """An environment and the episode that is being played in it."""

    env: gym.Env[Any, Any]
    episode: Episode


class _Arena:
    """Environments side by side, closed whatever happens."""

    def __init__(
        self, source: EnvironmentSource, seed: int, record: bool, max_steps: int | None
    ) -> None:
        self._make = maker(source)
        self._seed = seed
        self._record = record
        self._max_steps = math.inf if max_steps is None else max_steps
        self.seats: list[_Seat] = []
        self.started = 0

    def __enter__(self) -> _Arena:
        return self

    def __exit__(self, *error: object) -> None:
        for seat in self.seats:
            close(seat.env)

    def open(self, count: int) -> None:
        for _ in range(count):
            seat = _Seat(self._make(), Episode(-1, np.empty(0)))
            self.seats.append(seat)
            if len(self.seats) == 1:
                self.actions = actions_of(seat.env)
                self._read = observation_reader(seat.env.observation_space)
            self.begin(seat)

    def begin(self, seat: _Seat) -> None:
        observation, _ = seat.env.reset(seed=episode_seed(self._seed, self.started))
        first = np.array(self._read(observation))
        track = FrameTrack(first) if self._record else None
        seat.episode = Episode(self.started, first, track)
        self.started += 1

    def leave(self, seat: _Seat) -> None:
        self.seats.remove(seat)
        close(seat.env)

    def step(self, seat: _Seat, chosen: Any) -> None:
        action = self.actions.checked(chosen)
        native = self.actions.native(action)
        observation, reward, terminated, truncated, _ = seat.env.step(native)
        episode = seat.episode
        episode.current = np.array(self._read(observation))
        if episode.track is not None:
            episode.actions.append(action)
            episode.track.append(episode.current)
        episode.rewards.append(float(reward))
        episode.terminated = bool(terminated)
        episode.truncated = bool(truncated)
        episode.stopped = not episode.ended and len(episode.rewards) >= self._max_steps
        episode.truncated |= episode.stopped

    def cut_off(self) -> list[Episode]:
        begun = [seat.episode for seat in self.seats if seat.episode.rewards]
        for episode in begun:
            episode.truncated = True
        return begun


def _choose(act: Act, seats: list[_Seat], shape: tuple[int, ...]) -> Array:
    observations = np.stack([seat.episode.current for seat in seats])
    numbers = np.array([seat.episode.number for seat in seats], dtype=np.int64)
    actions = np.asarray(act(observations, numbers))
    if actions.shape != (len(seats), *shape):
        kind = f" of {shape[0]} numbers each" if shape else ""
        raise InputError(
            "policy",
            f"a function that returns {len(seats)} actions{kind} for {len(seats)} observations",
            f"one that returned shape {actions.shape}",
        )
    return actions
