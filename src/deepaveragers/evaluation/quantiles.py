"""How wide an interval is, in standard errors: quantiles of the normal and Student's t.

Written here because they are all that SciPy, 140 MB of disk, would be needed for.
"""

from __future__ import annotations

import math
from statistics import NormalDist

MOST_FREEDOM_SUMMED = 1_000
"""Degrees of freedom beyond which the expansion is as exact as the sum, and quicker."""


def normal_reach(level: float) -> float:
    """Return z with P(|Z| <= z) = level, for Z standard normal."""
    return NormalDist().inv_cdf(0.5 + level / 2.0)


def student_reach(freedom: int, level: float) -> float:
    """Return t with P(|T| <= t) = level, for Student's T.

    Args:
        freedom: degrees of freedom, a whole number from 1.
        level: in (0, 1).
    """
    if freedom > MOST_FREEDOM_SUMMED:
        return _expansion(normal_reach(level), freedom)
    low, high = 0.0, math.pi / 2.0
    while low < (middle := (low + high) / 2.0) < high:
        if _within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(middle)


def _within(angle: float, freedom: int) -> float:
    """Return P(|T| <= sqrt(freedom) tan(angle)): Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    sine, squared = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for j in range(2 + odd, freedom - 1, 2):
        term *= squared * (j - 1) / j
        total += term
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total


def _expansion(z: float, freedom: int) -> float:
    """Return Student's quantile near the normal one: Abramowitz and Stegun, 26.7.5."""
    first = (z**3 + z) / 4.0
    second = (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0
    third = (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0
    return z + first / freedom + second / freedom**2 + third / freedom**3
