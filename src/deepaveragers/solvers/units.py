"""Units of rewards: an MDP of tiny rewards is solved in larger ones.

Values are linear in the unit of rewards, costs and penalties. The guess before a plan, and the
evaluation of policies, are in float32, whose numbers lose digits below 2^-126. So where no step
is as large as `SMALL`, everything is multiplied by a power of two that brings the largest near
1, and the result is divided by it again. Both are exact, down to where float64 loses digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Float64, frozen
from ..kernels.bellman.problem import Problem
from ..kernels.precision import SMALLEST_FLOAT64
from .certificate import Certificate, largest_step

SMALL = 2.0**-60
"""Size of a step below which units are changed; float32 then has 66 binary orders to spare."""


@dataclass(frozen=True)
class Units:
    """Rewards are multiplied by 2^exponent while solving."""

    exponent: int

    def problem(self, problem: Problem) -> Problem:
        """Return the problem in these units."""
        if self.exponent == 0:
            return problem
        return problem._replace(
            rewards=frozen(np.ldexp(problem.rewards, self.exponent)),
            penalties=frozen(np.ldexp(problem.penalties, self.exponent)),
            # Where all distances are 0 any cost will do, and a large one might overflow.
            cost=math.ldexp(problem.cost, self.exponent) if _farthest(problem) > 0.0 else 0.0,
        )

    def start(self, first: tuple[Float64, Float64] | None) -> tuple[Float64, Float64] | None:
        """Return what an earlier plan gives: in other units its policy, without its values."""
        if first is None or self.exponent == 0:
            return first
        return np.zeros_like(first[0]), first[1]

    def values(self, values: Float64) -> Float64:
        """Return values in the user's units."""
        return values if self.exponent == 0 else np.ldexp(values, -self.exponent)

    def certificate(self, proof: Certificate) -> Certificate:
        """Return bounds in the user's units, which hold for the values there."""
        if self.exponent == 0:
            return proof
        known = {name: size for name, size in vars(proof).items() if size is not None}
        return replace(proof, **{name: self._bound(size) for name, size in known.items()})

    def callback(self, callback: Callable[[Any], object] | None) -> Callable[[Any], object] | None:
        """Return a callback that is told of errors in the user's units."""
        if callback is None or self.exponent == 0:
            return callback

        def told(seen: Any) -> object:
            error, allowed = (math.ldexp(one, -self.exponent) for one in (seen.error, seen.allowed))
            return callback(replace(seen, error=error, allowed=allowed))

        return told

    def _bound(self, size: float) -> float:
        """Return a bound, with what values and it may lose where float64 ends."""
        return math.ldexp(size, -self.exponent) + SMALLEST_FLOAT64


def units_of(problem: Problem) -> Units:
    """Return the units in which to solve: the user's own, unless no step is as large as `SMALL`."""
    if largest_step(problem, 0.0) >= SMALL:
        return Units(0)
    cost = 0.0 if problem.adaptive > 0.0 else problem.cost  # An adaptive price scales with rewards.
    step = largest_step(problem, cost * _farthest(problem))
    return Units(-math.frexp(step)[1] if 0.0 < step < SMALL else 0)


def _farthest(problem: Problem) -> float:
    there = problem.indices >= 0
    return float(np.max(problem.distances, where=there, initial=np.float32(0.0)))
