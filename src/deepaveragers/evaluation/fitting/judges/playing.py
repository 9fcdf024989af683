"""Playing policies in a simulator made of the log."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from .scales import Scales
from .verdict import Actor, actions_of

MOST_STEPS = 1_000
WEIGHT_LEFT = 0.01
"""Of the discount, where an episode is broken off."""


Weights: TypeAlias = Mapping[str, Array]
"""What a simulator learnt, by name."""


class Step(NamedTuple):
    """What follows actions [B] in a simulator.

    Attributes:
        states: [B, D] next ones.
        rewards: [B].
        at_worst: [B] rewards; less where the log has no end like this one.
        ended: [B] bool, whether the episode ends.
        believed: [B] bool; False where the log has nothing like what follows.
    """

    states: Float64
    rewards: Float64
    at_worst: Float64
    ended: Bool
    believed: Bool


class Simulator(Protocol):
    """Moves states of many episodes side by side.

    Attributes:
        members: models that differ in what they were made from, at least 4; an episode stays
            with one.
        draws: samples of the episodes that members were made from; several may share one.
        draw_variance: between members, as a share of what it is between bootstrap samples.
    """

    members: int
    draws: int
    draw_variance: float

    @property
    def weights(self) -> Weights:
        """What took long to learn; none where nothing is learnt."""

    def states(self, observations: Array) -> Float64:
        """Return [B, D] for observations [B, ...]."""

    def observations(self, states: Float64) -> Array:
        """Return observations [B, ...] as in the data."""

    def step(self, states: Float64, actions: Array, member: Int64, draws: Float64) -> Step:
        """Return what follows.

        Args:
            states: [B, D].
            actions: [B], or rows [B, Da].
            member: [B], which model moves each.
            draws: [B, D + 2] uniform numbers in [0, 1), which decide all that is random.
        """


def ends_of(ends: Bool) -> Callable[[Bool], Bool]:
    """Return what becomes of simulated ends [B]: where the log has none, or only such, so here."""
    if not ends.any():
        return np.zeros_like
    return np.ones_like if ends.all() else np.asarray


def step_of(
    scales: Scales,
    states: Float64,
    after: Float64,
    ended: Bool,
    reward: Float64,
    last_reward: Float64,
) -> Step:
    """Return a step, as the log could have it.

    Args:
        scales: how the log is read.
        states: [B, D] standardised, before the step.
        after: [B, D] after it, maybe beyond the log's box.
        ended: [B] whether the episode ends, as drawn; it also does where all that were logged had
            ended. What that pays is not known there, and believed near the log only.
        reward: [B] where it goes on.
        last_reward: [B] where it ends.
    """
    by_limit = scales.terminal(after) & ~ended
    unknown = by_limit | ~scales.known_ends(states)
    least = np.where(unknown, scales.last_reward.least, last_reward)
    believed, ended = ended | scales.known(after), ended | by_limit
    return Step(
        scales.inside(after),
        np.where(ended, last_reward, reward),
        np.where(ended, least, reward),
        ended,
        believed,
    )


def steps_that_count(gamma: float) -> int:
    """Return after how many steps 1 % of the weight is left, 1,000 at most."""
    if gamma == 0.0:
        return 1
    return min(MOST_STEPS, math.ceil(math.log(WEIGHT_LEFT) / math.log(gamma)))


def play(
    simulator: Simulator,
    actors: Sequence[Actor],
    starts: Array,
    *,
    gamma: float,
    worst: float,
    seed: int,
) -> tuple[Float64, Float64]:
    """Return [P, B] discounted returns from the same starts, with the same luck; and at worst.

    At worst, an episode is worth the worst return from the first step on that is not believed.

    Args:
        simulator: where to play.
        actors: P policies.
        starts: [B, ...] first observations; start b is played by member b mod members.
        gamma: discount.
        worst: what is counted at worst from where the simulator is not believed any more.
        seed: of the luck.
    """
    count, generator = len(starts), np.random.default_rng(seed)
    states = np.tile(simulator.states(starts), (len(actors), 1))
    member = np.tile(np.arange(count) % simulator.members, len(actors))
    returns, at_worst = np.zeros(len(states)), np.zeros(len(states))
    trusted = np.ones(len(states), dtype=bool)
    playing = np.arange(len(states))
    for step in range(steps_that_count(gamma)):
        draws = np.tile(generator.random((count, states.shape[1] + 2)), (len(actors), 1))[playing]
        observations = simulator.observations(states[playing])
        actions = _decided(actors, playing // count, observations)
        found = simulator.step(states[playing], actions, member[playing], draws)
        returns[playing] += gamma**step * found.rewards
        before = trusted[playing]
        least = np.where(found.believed, found.at_worst, worst)
        at_worst[playing] += gamma**step * np.where(before, least, 0.0)
        trusted[playing] = before & found.believed
        states[playing] = found.states
        playing = playing[~found.ended]
        if len(playing) == 0:
            break
    # Who still plays goes on as before: from there on, it earns at the same rate.
    rest = 1.0 / (1.0 - gamma ** steps_that_count(gamma))
    returns[playing] *= rest
    at_worst[playing[trusted[playing]]] *= rest
    shape = len(actors), count
    return returns.reshape(shape), np.minimum(at_worst, returns).reshape(shape)


def _decided(actors: Sequence[Actor], owner: Int64, observations: Array) -> Array:
    """Return the actions [B] or [B, Da] of observations [B, ...], each by its own actor."""
    whose = [np.flatnonzero(owner == number) for number in range(len(actors))]
    parts = [
        (own, actions_of(actor, observations[own]))
        for actor, own in zip(actors, whose, strict=True)
        if len(own)
    ]
    _, first = parts[0]
    actions = np.empty((len(owner), *first.shape[1:]), first.dtype)
    for own, taken in parts:
        actions[own] = taken
    return actions
