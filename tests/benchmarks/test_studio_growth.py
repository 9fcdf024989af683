"""A slope of memory is told with its error, from the second half only."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studio.growth import Growth
from benchmarks.studio.monkey import MOST_SERVER


def grown(a_minute, minutes=20, noise=0.0):
    """Return samples of a process that fills up in the first minutes."""
    random, growth = np.random.default_rng(0), Growth()
    for minute in range(minutes):
        filled = 600.0 + 200.0 * min(minute, minutes // 2) / (minutes // 2)
        growth.add(minute, filled + a_minute * minute + random.normal(0.0, noise))
    return growth


@pytest.mark.parametrize("a_minute", [0.0, 5.0, -3.0])
def test_a_line_through_the_second_half(a_minute):
    slope = grown(a_minute, noise=3.0).slope()
    assert slope.a_minute == pytest.approx(a_minute, abs=2 * slope.error)
    assert 0.0 < slope.error < MOST_SERVER
    assert (slope.a_minute > MOST_SERVER) == (a_minute > MOST_SERVER)


def test_a_line_without_noise_is_exact():
    assert grown(1.5).slope() == pytest.approx((1.5, 0.0), abs=1e-9)


def test_a_short_walk_says_nothing():
    assert grown(5.0, minutes=4).slope() is None
    assert grown(5.0, minutes=6).slope() is not None
