"""Times that matter: a clock at one value of which episodes end, or are paid."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Bool, Float64

MOSTLY = 0.5
"""Share of the ends, or of what rewards vary, that must fall on one time."""
NEARLY_ALL = 0.9
"""Share of the steps at that time that must be ends."""
FEWEST = 5
"""Ends, or steps at that time, below which nothing is said."""


def is_deadline(times: Array, terminations: Bool, rewards: Float64) -> bool:
    """Whether most episodes end, or most rewards are paid, at one and the same time.

    Args:
        times: [N] of the steps.
        terminations: [N] bool.
        rewards: [N] float64.
    """
    moment = np.unique(times, return_inverse=True)[1]
    steps = np.bincount(moment)
    ends = np.bincount(moment, weights=terminations)
    last = int(np.argmax(ends))
    ended = ends[last] > MOSTLY * ends.sum() and ends[last] > NEARLY_ALL * steps[last]
    paid = np.bincount(moment, weights=reward_sizes(rewards))
    first = int(np.argmax(paid))
    rare = FEWEST <= steps[first] < MOSTLY * len(times)
    return bool((ended and ends.sum() >= FEWEST) or (rare and paid[first] > MOSTLY * paid.sum()))


def are_paid(rows: Array, rewards: Float64) -> bool:
    """Whether most of what rewards vary falls on these rows."""
    sizes = reward_sizes(rewards)
    return bool(sizes[rows].sum() > MOSTLY * sizes.sum())


def reward_sizes(rewards: Float64) -> Float64:
    """Return [N] how far each reward is from the middle one, in units of the largest."""
    largest = np.abs(rewards).max(initial=0.0)
    if not 0.0 < largest < np.inf:
        return np.zeros(len(rewards))
    scaled: Float64 = rewards / largest
    return np.abs(scaled - np.median(scaled))
