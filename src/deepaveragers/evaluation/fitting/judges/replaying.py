"""Which simulators come near to the log: logged actions, taken again.

Local lines follow smooth systems closely, and networks those of many columns: neither is better
on all logs. So both replay the log. From states of episodes that a member did not learn from, the
logged actions are taken again in it, until it ends, the logged episode does, or the discount
leaves little. With g the discounted rewards that were logged on the way, and G, G' those of two
replays with luck of their own, the squared error is

    mean((G - g) (G' - g))

that is, bias and the world's own luck, but not the simulator's: it may be right to be random.
Errors of single steps would say less: what is wrong by little at every step may add up, or not.
A simulator whose error is clearly larger is left out. Otherwise both judge, and where they
disagree, the interval is wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....arrays import Array, Float64, Int64
from ..folds import Log
from .playing import Simulator, Step, Weights, steps_that_count

REPLAYED = 60
"""Logged states that each member replays from."""
LONGEST_REPLAY = 200
"""Steps: what is told apart at all is told apart by then, on all development logs."""
CLEARLY_LARGER = 1.25
"""Times the smallest error, from which on a simulator is left out (docs/journal/fit.md)."""
NEGLIGIBLE = 0.01
"""Share of the deviation of logged returns, up to which no error leaves a simulator out."""


class Joined:
    """Several simulators as one: their members side by side."""

    def __init__(self, simulators: Sequence[Simulator]) -> None:
        self._simulators = simulators
        self._first = np.cumsum([0, *(one.members for one in simulators)])
        self.members = int(self._first[-1])
        self.draws = min(one.draws for one in simulators)
        shares = [one.members / self.members for one in simulators]
        self.draw_variance = float(np.dot(shares, [one.draw_variance for one in simulators]))

    @property
    def weights(self) -> Weights:
        """Of all of them."""
        return {name: array for one in self._simulators for name, array in one.weights.items()}

    def states(self, observations: Array) -> Float64:
        """Return [B, D] for observations [B, ...]: all standardise alike."""
        return self._simulators[0].states(observations)

    def observations(self, states: Float64) -> Array:
        """Return observations [B, ...] as in the data."""
        return self._simulators[0].observations(states)

    def step(self, states: Float64, actions: Array, member: Int64, draws: Float64) -> Step:
        """Return what follows, each by its own member."""
        whose = np.searchsorted(self._first, member, side="right") - 1
        found: list[Array] = []
        for number, simulator in enumerate(self._simulators):
            own = np.flatnonzero(whose == number)
            if len(own) == 0:
                continue
            said = simulator.step(
                states[own], actions[own], member[own] - self._first[number], draws[own]
            )
            found = found or [np.empty((len(states), *one.shape[1:]), one.dtype) for one in said]
            for all_of_it, part in zip(found, said, strict=True):
                all_of_it[own] = part
        return Step(*found)


def near_the_log(simulators: Sequence[Simulator], log: Log, seed: int) -> Sequence[Simulator]:
    """Return the simulators that replay the log well.

    Args:
        simulators: made from the log with this seed.
        log: the episodes.
        seed: of the members' draws of episodes.
    """
    errors = [replay_error(one, log, seed) for one in simulators]
    most = max(CLEARLY_LARGER * min(errors), NEGLIGIBLE * float(log.discounted().std()))
    return [one for one, error in zip(simulators, errors, strict=True) if error <= most]


def replay_error(simulator: Simulator, log: Log, seed: int) -> float:
    """Return how far replayed returns are from logged ones; inf where nothing can be replayed."""
    generator = np.random.default_rng((seed, 8))
    rows, member = _left_out(log, simulator.members, seed, generator)
    if len(rows) == 0:
        return math.inf
    first, second = (_replayed(simulator, log, rows, member, generator) for _ in range(2))
    squared = float(np.mean(first * second))
    return math.sqrt(max(0.0, squared)) if math.isfinite(squared) else math.inf


def _left_out(
    log: Log, members: int, seed: int, generator: np.random.Generator
) -> tuple[Int64, Int64]:
    """Return rows that members did not learn from, and whose they are."""
    rows = [np.setdiff1d(np.arange(len(log.data)), draw) for draw in log.draws(members, seed)]
    some = [generator.choice(own, REPLAYED) if len(own) else own for own in rows]
    return np.concatenate(some), np.repeat(np.arange(members), list(map(len, some)))


def _replayed(
    simulator: Simulator, log: Log, rows: Int64, member: Int64, generator: np.random.Generator
) -> Float64:
    """Return how much more than logged is earned from rows [B] on."""
    data, last = log.data, log.last[log.number[rows]]
    states, more = simulator.states(data.observations[rows]), np.zeros(len(rows))
    going = np.ones(len(rows), dtype=bool)
    for step in range(min(LONGEST_REPLAY, steps_that_count(log.gamma))):
        logged = np.flatnonzero(rows + step <= last)
        if len(logged) == 0:
            break
        more[logged] -= log.gamma**step * data.rewards[rows[logged] + step]
        draws = generator.random((len(rows), states.shape[1] + 2))
        own = logged[going[logged]]
        if len(own) == 0:
            continue
        found = simulator.step(states[own], data.actions[rows[own] + step], member[own], draws[own])
        more[own] += log.gamma**step * found.rewards
        states[own], going[own] = found.states, ~found.ended
    return more
