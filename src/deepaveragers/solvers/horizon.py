"""Horizons: what steps that were not made would add, and which are as good as endless."""

from __future__ import annotations

import math

LONG = 10_000
"""Steps of a horizon after which a plan may end early, where the rest adds next to nothing."""
NEGLIGIBLE = 1e-3
"""Share of the tolerance that steps beyond a long horizon may take up."""


def beyond_horizon(gamma: float, horizon: int, tolerance: float) -> float | None:
    """Return gamma^horizon if that many steps are as good as endless ones; None otherwise."""
    beyond = math.pow(gamma, horizon)
    return beyond if horizon > LONG and beyond <= NEGLIGIBLE * tolerance else None


def sum_of_powers(gamma: float, first: int, end: int) -> float:
    """Return gamma^first + ... + gamma^(end - 1), without cancellation where gamma is near 1.

    The sum is gamma^first (1 - gamma^n) / (1 - gamma) with n = end - first. 1 - gamma is exact
    from 1/2 on, but 1 - gamma^n is not: -expm1(n log gamma) keeps its digits.
    """
    if end <= first:
        return 0.0
    if gamma == 0.0:
        return 1.0 if first == 0 else 0.0
    left = -math.expm1((end - first) * math.log(gamma))
    return math.pow(gamma, first) * left / (1.0 - gamma)
