"""Which simulator comes nearer to the log: logged actions, taken again.

Local lines follow smooth systems closely, and networks those of many columns: neither is better
on all logs. So both replay the log. From states of episodes that a member did not learn from, the
logged actions are taken again in it, until it ends, the logged episode does, or the discount
leaves little. With G the discounted rewards on the way, the error is

    sqrt(mean((G simulated - G logged)^2))

Errors of single steps would say less: what is wrong by little at every step may add up, or not.
"""

from __future__ import annotations

import math

import numpy as np

from ....arrays import Float64, Int64
from ..folds import Log
from .playing import Simulator, steps_that_count

REPLAYED = 60
"""Logged states that each member replays from."""
MOST_STEPS = 200


def nearer_to_the_log(simulators: tuple[Simulator, ...], log: Log, seed: int) -> Simulator:
    """Return the simulator that replays the log best; the first of equals.

    Args:
        simulators: made from the log with this seed.
        log: the episodes.
        seed: of the members' draws of episodes.
    """
    return min(simulators, key=lambda one: replay_error(one, log, seed))


def replay_error(simulator: Simulator, log: Log, seed: int) -> float:
    """Return how far replayed returns are from logged ones; inf where no episode is left out."""
    generator = np.random.default_rng((seed, 8))
    rows, member = _left_out(log, simulator.members, seed, generator)
    if len(rows) == 0:
        return math.inf
    error = _replayed(simulator, log, rows, member, generator)
    return float(np.sqrt(np.mean(error**2)))


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
    for step in range(min(MOST_STEPS, steps_that_count(log.gamma))):
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
