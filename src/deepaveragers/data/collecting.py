"""Collecting a dataset from a Gymnasium environment."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ..arguments import (
    check_takes,
    flag,
    is_collection,
    known_keywords,
    number,
    optional,
    seed_number,
    shown,
    whole_number,
)
from ..arrays import Array, Float64, Int64
from ..errors import InputError
from ..progress import progress
from .environment_actions import EnvironmentActions
from .environments import EnvironmentSource, offer_of
from .frame_stacks import FrameStacks
from .frame_track import FrameTrack
from .play import Episode, play
from .scratch import room
from .transitions import Transitions


@runtime_checkable
class Actor(Protocol):
    """Anything with `act(observations) -> actions`."""

    def act(self, observations: Array) -> Any:
        """Return one action per observation."""


@runtime_checkable
class Predictor(Protocol):
    """Anything with Stable-Baselines3's `predict(observations) -> (actions, state)`."""

    def predict(self, observation: Array, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Return one action per observation, and a state that is ignored."""


PolicySource: TypeAlias = str | Actor | Predictor | Callable[[Array], Any]
"""'random', a function from observations [B, ...] to actions [B], or an agent."""


@known_keywords
def collect(
    env: EnvironmentSource,
    steps: int = 100_000,
    policy: PolicySource = "random",
    *,
    epsilon: float | Sequence[float] | Mapping[float, float] = 0.0,
    seed: int = 0,
    side_by_side: int = 16,
    show_progress: bool | None = None,
) -> Transitions:
    """Roll out a policy and return its transitions, episode after episode.

    Stacked frames (uint8, such as `FrameStackObservation` gives) are kept once each: see
    `FrameStacks`.

    Args:
        env: a Gymnasium id, or a function that makes the environment.
        steps: number of transitions. Episodes unfinished at the end are marked truncated.
        policy: "random", a function from observations [B, ...] to actions [B] or [B, Da],
            an object with `act`, or a Stable-Baselines3 model.
        epsilon: chance of a random action instead. Several numbers are a mixture: each
            episode draws one, with equal chance, or with the chances of a mapping
            {epsilon: chance}.
        seed: with it and the same arguments, the same data.
        side_by_side: environments played at the same time.
        show_progress: force the bar on or off; None shows it on a terminal.
    """
    steps = whole_number("steps", steps)
    side_by_side = whole_number("side_by_side", side_by_side)
    seed = seed_number(seed)
    optional(flag, "show_progress", show_progress)
    actions, columns, _ = offer_of(env)
    choose = EpsilonMixture(policy, epsilon, actions, seed)
    with progress("collect", steps, show=show_progress) as advance:
        episodes = play(
            env, choose, seed=seed, side_by_side=side_by_side, steps=steps, advance=advance
        )
    return _as_transitions(episodes, actions, columns)


def chooser(policy: PolicySource) -> Callable[[Array], Any]:
    """Return the function from observations to actions that was meant."""
    if isinstance(policy, Actor):
        return policy.act
    if isinstance(policy, Predictor):
        return lambda observations: policy.predict(observations, deterministic=True)[0]
    if callable(policy):
        check_takes("policy", policy, "observations")
        return policy
    raise InputError(
        "policy", "'random', a function, or an object with act or predict", shown(policy)
    )


class EpsilonMixture:
    """Acts by a policy, and at random with an epsilon drawn for each episode."""

    def __init__(
        self,
        policy: PolicySource,
        epsilon: float | Sequence[float] | Mapping[float, float],
        actions: EnvironmentActions,
        seed: int,
    ) -> None:
        if isinstance(policy, str):
            if policy != "random":
                raise InputError("policy", "'random', a function or an agent", repr(policy))
            self._choose: Callable[[Array], Any] | None = None
        else:
            self._choose = chooser(policy)
        self._epsilons, self._chances = _mixture(epsilon)
        self._actions = actions
        self._seed = seed
        self._random = np.random.default_rng((seed, 1))

    def __call__(self, observations: Array, episodes: Int64) -> Array:
        """Return actions [B] or [B, Da] for observations [B, ...] of the numbered episodes [B]."""
        random_actions = self._actions.random(self._random, len(observations))
        if self._choose is None:
            return random_actions
        epsilons = np.array([self._epsilon_of(int(number)) for number in episodes])
        explore = self._random.random(len(observations)) < epsilons
        chosen = np.asarray(self._choose(observations))
        if chosen.shape != random_actions.shape:
            return chosen  # refused by `play`
        return np.where(explore.reshape(-1, *[1] * (chosen.ndim - 1)), random_actions, chosen)

    def _epsilon_of(self, episode: int) -> float:
        if len(self._epsilons) == 1:
            return float(self._epsilons[0])
        draw = np.random.default_rng((self._seed, 2, episode)).random()
        place = int(np.searchsorted(np.cumsum(self._chances), draw, side="right"))
        return float(self._epsilons[min(place, len(self._epsilons) - 1)])


def _mixture(
    epsilon: float | Sequence[float] | Mapping[float, float],
) -> tuple[Float64, Float64]:
    """Return the epsilons, and the chance of each."""
    given = list(epsilon) if isinstance(epsilon, Mapping) or is_collection(epsilon) else [epsilon]
    if not given:
        raise InputError("epsilon", "a number, several, or {epsilon: chance}", shown(epsilon))
    epsilons = [number("epsilon", one, least=0.0, most=1.0) for one in given]
    chances = [1.0 / len(given)] * len(given)
    if isinstance(epsilon, Mapping):
        chances = [number("a chance of epsilon", one, least=0.0) for one in epsilon.values()]
    if not math.isclose(sum(chances), 1.0, abs_tol=1e-6):
        raise InputError("epsilon", "a mapping whose chances sum to 1", shown(epsilon))
    return np.array(epsilons), np.array(chances)


def _as_transitions(
    episodes: list[Episode], actions: EnvironmentActions, columns: tuple[str, ...] | None
) -> Transitions:
    lengths = np.array([len(episode.actions) for episode in episodes])
    last = np.cumsum(lengths) - 1
    terminations = np.zeros(int(lengths.sum()), dtype=bool)
    truncations = terminations.copy()
    terminations[last] = [episode.terminated for episode in episodes]
    truncations[last] = [episode.truncated for episode in episodes]
    observations, next_observations = _observations(episodes)
    return Transitions(
        observations=observations,
        actions=np.concatenate([np.asarray(e.actions, dtype=actions.dtype) for e in episodes]),
        rewards=np.concatenate([e.rewards for e in episodes]),
        next_observations=next_observations,
        terminations=terminations,
        truncations=truncations,
        episode_ids=np.repeat([episode.number for episode in episodes], lengths),
        action_names=actions.names,
        action_bounds=actions.known_bounds,
        observation_names=columns,
    )


def _observations(episodes: list[Episode]) -> tuple[Any, Any]:
    """Return s and s' of all steps: stacks where all pictures are such, else arrays."""
    tracks = [episode.track for episode in episodes if episode.track is not None]
    chains = [track.frames for track in tracks]
    if all(frames is not None for frames in chains):
        return _stacks(tracks, [frames for frames in chains if frames is not None])
    pictures = [track.pictures() for track in tracks]
    return (
        np.concatenate([np.stack(seen[:-1]) for seen in pictures]),
        np.concatenate([np.stack(seen[1:]) for seen in pictures]),
    )


def _stacks(tracks: list[FrameTrack], chains: list[list[Array]]) -> tuple[FrameStacks, FrameStacks]:
    counts = np.array([len(frames) for frames in chains])
    frames = room((int(counts.sum()), *chains[0][0].shape), np.uint8)
    starts = np.cumsum(counts) - counts
    places = []
    for track, start, chain in zip(tracks, starts, chains, strict=True):
        frames[start : start + len(chain)] = chain
        places.append(start + track.filled + np.arange(len(track) - 1))
    steps = [len(track) - 1 for track in tracks]
    first, size = np.repeat(starts, steps), len(tracks[0].last)
    here = FrameStacks(frames, np.concatenate(places), first, size)
    return here, FrameStacks(here.frames, here.places + 1, first, size)
