"""Growth of memory is told from what work needs for a moment."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studio.growth import Growth
from benchmarks.studio.monkey import MOST_SERVER


def grown(a_minute, minutes=20, noise=0.0):
    """Return samples of a process with peaks in each minute, that fills up in the first ones."""
    random, growth = np.random.default_rng(0), Growth()
    for second in range(60 * minutes):
        minute = second / 60
        stays = 600.0 + 200.0 * min(minute, 5.0) / 5.0 + a_minute * minute
        growth.add(minute, stays + abs(random.normal(0.0, noise)) + 300.0 * (second % 50 < 20))
    return growth


@pytest.mark.parametrize("a_minute", [0.0, 5.0, -3.0])
def test_a_line_through_the_second_half(a_minute):
    slope = grown(a_minute, noise=20.0).slope()
    assert slope.a_minute == pytest.approx(a_minute, abs=slope.error + 0.05)
    assert slope.error < 0.5 * MOST_SERVER
    assert (slope.a_minute > MOST_SERVER) == (a_minute > MOST_SERVER)


def test_every_minute_keeps_its_least_and_its_most():
    growth = grown(0.0)
    assert (growth.least(10), growth.most(10)) == (800.0, 1100.0)


def test_a_short_walk_says_nothing():
    assert grown(5.0, minutes=4).slope() is None
    assert grown(5.0, minutes=6).slope() is not None
