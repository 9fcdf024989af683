"""Importance weights as a judge: logged episodes by how well a policy agrees with them.

The estimator is that of `evaluation.importance`, with its contributions per episode. The chances of
logged behaviour are the log's propensities where it has them; elsewhere the smoothed shares of the
actions among the nearest other states.

The effective number of episodes is the harmonic mean over steps of (sum_i w_it)^2 / sum_i w_it^2.
"""

from __future__ import annotations

import numpy as np

from ....arrays import Array, Float64
from ....neighbors.tree import TreeIndex
from ...importance import weigh
from ..folds import Log
from .verdict import Actor, Opinion, Verdict, Withheld, actions_of

NEIGHBORS = 25
FEWEST_EFFECTIVE = 10.0
"""Effective episodes, below which the estimate and its interval are chance."""
MOST_LOST = 0.01
"""Share of the time that counts in which no episode may agree."""
SMALLEST = 1e-6
"""A logged propensity below this counts as this."""


class Importance:
    """Judges policies on one log; the states are vectors [N, D]."""

    def __init__(self, log: Log, states: Array, propensities: Float64 | None) -> None:
        self._log = log
        rows = np.arange(len(states))
        estimated = shares_of_actions(log, states)[rows, log.data.actions]
        logged = np.full(len(states), np.nan) if propensities is None else propensities
        self._chances = np.where(np.isnan(logged), estimated, np.maximum(logged, SMALLEST))

    def judge(self, actor: Actor) -> Opinion:
        """Return what the policy earns from the log's starts."""
        log = self._log
        agree = actions_of(actor, log.data.observations) == log.data.actions
        found = weigh(log.data, agree, self._chances)
        discount = log.gamma ** np.arange(found.shares.shape[1])
        known = found.shares.any(axis=0)
        # A step counts by its discount and by how many episodes are still on their way.
        counts = discount * found.alive.mean(axis=0)
        counts /= counts.sum()
        lost = float(counts[~known].sum())
        if lost > MOST_LOST:
            return Withheld(f"no held-out episode agrees for {lost:.0%} of the time that counts")
        effective = 1.0 / float((counts * (found.shares**2).sum(axis=0))[known].sum())
        if effective < FEWEST_EFFECTIVE:
            return Withheld(
                f"its actions agree with {effective:.1f} held-out episodes in effect, "
                f"fewer than {FEWEST_EFFECTIVE:g}"
            )
        value, moved = found.value(discount)
        return Verdict(value + len(log) * moved, 0.0, effective)


def shares_of_actions(log: Log, states: Array) -> Float64:
    """Return [N, A] how often each action is taken in states like each, smoothed.

    The row itself does not count: it would always agree with itself.
    """
    count = min(NEIGHBORS + 1, len(states))
    found, _ = TreeIndex(np.ascontiguousarray(states)).query(states, count)
    own = found == np.arange(len(states))[:, None]
    actions = log.data.actions[found]
    shares = np.stack(
        [((actions == a) & ~own).sum(axis=1) for a in range(log.data.num_actions)], axis=1
    )
    prior = np.bincount(log.data.actions, minlength=log.data.num_actions) / len(states)
    return (shares + prior) / (shares.sum(axis=1, keepdims=True) + 1.0)
