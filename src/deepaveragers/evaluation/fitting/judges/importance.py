"""Importance weights: logged episodes, weighted by how well a policy agrees with them.

Per-decision weighted importance sampling (Precup, Sutton, Singh, 2000). With w_it the product of
pi / b along episode i up to step t,

    value = sum_t gamma^t (sum_i w_it r_it) / (sum_i w_it).

Episode i contributes value + E sum_t gamma^t w_it (r_it - mean_t) / sum_j w_jt, the delta method
for ratios, whose scatter is the standard error. b is the logged propensity where the log has it,
else the smoothed shares of the actions among the nearest states.

An episode that ended keeps its weight, with rewards 0. One that was cut off leaves both sums.

The effective number of episodes is the harmonic mean over steps of (sum_i w_it)^2 / sum_i w_it^2.
"""

from __future__ import annotations

import numpy as np

from ....arrays import Array, Float64
from ....neighbors.tree import TreeIndex
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
        self.logged = propensities is not None
        self._chances = (
            np.maximum(propensities, SMALLEST)
            if propensities is not None
            else shares_of_actions(log, states)[np.arange(len(states)), log.data.actions]
        )
        lengths = log.last - log.first + 1
        steps = np.arange(int(lengths.max()))
        ended = log.data.terminations[log.last]
        self._alive = steps < lengths[:, None]
        self._there = self._alive | ended[:, None]
        self._rewards = np.zeros(self._there.shape)
        self._rewards[log.number, log.step] = log.data.rewards

    def judge(self, actor: Actor) -> Opinion:
        """Return what the policy earns from the log's starts."""
        log = self._log
        agree = actions_of(actor, log.data.observations) == log.data.actions
        with np.errstate(divide="ignore"):
            logs = np.where(agree, -np.log(self._chances), -np.inf)
        weights = self._products(logs)
        weights = np.where(self._there, weights, 0.0)
        total = weights.sum(axis=0)
        known = total > 0.0
        discount = log.gamma ** np.arange(weights.shape[1])
        shares = weights / np.where(known, total, 1.0)
        # A step counts by its discount and by how many episodes are still on their way.
        counts = discount * self._alive.mean(axis=0)
        counts /= counts.sum()
        lost = float(counts[~known].sum())
        if lost > MOST_LOST:
            return Withheld(f"no held-out episode agrees for {lost:.0%} of the time that counts")
        effective = 1.0 / float((counts * (shares**2).sum(axis=0))[known].sum())
        if effective < FEWEST_EFFECTIVE:
            return Withheld(
                f"its actions agree with {effective:.1f} held-out episodes in effect, "
                f"fewer than {FEWEST_EFFECTIVE:g}"
            )
        means = (shares * self._rewards).sum(axis=0)
        value = float((discount * means)[known].sum())
        scatter = (discount * shares * (self._rewards - means)).sum(axis=1)
        return Verdict(value + len(log) * scatter, 0.0, effective)

    def _products(self, logs: Float64) -> Float64:
        """Return [E, T] the products along episodes, each column relative to its largest."""
        log = self._log
        steps = np.zeros(self._there.shape)
        steps[log.number, log.step] = logs
        summed = np.cumsum(steps, axis=1)
        largest = np.where(self._there, summed, -np.inf).max(axis=0)
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(np.exp(summed - largest), nan=0.0)


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
