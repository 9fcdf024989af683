"""Statistics of returns: interquartile mean and bootstrap intervals.

The interval is the percentile bootstrap of Efron (1979): resample the episodes with
replacement, and take the middle 95 % of the resampled statistics.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Float64

RESAMPLES = 2000


def mean(values: Float64, axis: int = -1) -> Float64:
    """Return the mean along an axis."""
    return np.mean(values, axis=axis)


def interquartile_mean(values: Float64, axis: int = -1) -> Float64:
    """Return the mean of the middle half: floor(n / 4) values are dropped at each end."""
    ordered = np.sort(values, axis=axis)
    count = ordered.shape[axis]
    drop = count // 4
    return np.take(ordered, range(drop, count - drop), axis=axis).mean(axis=axis)


def bootstrap_interval(
    values: Float64,
    statistic: Callable[[Float64], Float64] = mean,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a statistic of [n] values."""
    values = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    rows = generator.integers(len(values), size=(RESAMPLES, len(values)))
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(statistic(values[rows]), (tail, 1.0 - tail))
    return float(low), float(high)
