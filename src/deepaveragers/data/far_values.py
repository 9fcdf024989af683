"""Values far outside of the others in their column: codes for 'missing', faults of a sensor.

A column is *squashed* where its standard deviation is far larger than the range of most of its
values: a few values make the deviation, and standardised, all others lie side by side.

An s' is *absurdly far* where it lies far beyond all s. No transition starts near it, and each of
its actions has an enormous distance cost. Tolerances are relative to the largest value of one
step, costs included: one such state loosens them for all. An absurdly large reward does the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Bool, Float64

FEWEST = 20
"""Rows below which nothing is said of most of them."""
FAR = 20.0
"""Times the range of most values, beyond which one lies far outside."""
ABSURD = 100.0
"""Times the range of all s, beyond which an s' is absurdly far: hundreds of standard deviations, so
that the usual tolerance, a thousandth of it, comes near what a step earns."""
SPIKE = 1000.0
"""Times the size of others, beyond which a reward is absurdly large."""
SAMPLE = 2_000
SQUARED = 2.0**460
"""Up to which the squares of a hundred million numbers have a sum."""


class Most(NamedTuple):
    """Where nine tenths of the values of each column lie: [D] float64 each."""

    low: Float64
    middle: Float64
    high: Float64

    @property
    def reach(self) -> Float64:
        """[D] how far from the middle a value may be; inf where most values are the same."""
        with np.errstate(over="ignore"):
            width = self.high - self.low
            return np.where(width > 0.0, FAR * width, np.inf)


def where_most_lie(columns: Array) -> Most:
    """Return where most values of columns [N, D] lie."""
    return Most(*np.quantile(columns, (0.05, 0.5, 0.95), axis=0, method="nearest"))


def squashed(columns: Array, deviation: Float64) -> tuple[Bool, Most]:
    """Return which columns [N, D] are squashed, and where most of their values lie.

    Most values are those of a sample of rows; the deviation [D] is that of all.
    """
    sample = columns[:: max(1, len(columns) // SAMPLE)]
    most = where_most_lie(np.asarray(sample, dtype=np.float64))
    return (deviation > most.reach) & (len(columns) >= FEWEST), most


def units(*columns: Float64) -> Array:
    """Return exponents [D] of two: units in which the squares of columns [N, D] are numbers.

    They are common to all the arrays, and 0 for ordinary columns. What does not depend on units,
    a correlation say, is the same to the bit in `np.ldexp(columns, -units)`.
    """
    largest = np.max([np.abs(part).max(axis=0) for part in columns], axis=0)
    return np.where(largest > SQUARED, np.frexp(largest)[1], 0)


class FarState(NamedTuple):
    """The s' that lies farthest from every s: its row, the column, and how many more there are."""

    row: int
    column: int
    others: int


def far_state(source: Array, core: Array, living: Bool) -> FarState | None:
    """Return the living state of core [M, D] that lies absurdly far from all of source [N, D].

    Both are features, so that columns are alike. Terminal states have no actions, and cost nothing
    wherever they lie. Looking for the extremes of all columns at once takes four quick passes.
    """
    low, high = float(source.min()), float(source.max())
    middle, reach = (low + high) / 2, (ABSURD + 0.5) * (high - low)
    farthest = max(float(core.max()) - middle, middle - float(core.min()))
    if len(source) < FEWEST or low == high or farthest <= reach:
        return None
    distances = np.where(living[:, None], np.abs(core - np.float64(middle)), 0.0)
    row, column = np.unravel_index(np.argmax(distances), distances.shape)
    far = (distances > reach).any(axis=1)
    return FarState(int(row), int(column), int(far.sum()) - 1) if far.any() else None


def far_reward(rewards: Float64) -> int | None:
    """Return the row of a reward that is absurdly larger in size than every other."""
    sizes = np.abs(rewards)
    row = int(np.argmax(sizes))
    largest, sizes[row] = float(sizes[row]), 0.0
    alone = len(sizes) >= FEWEST and largest / SPIKE > sizes.max() > 0.0
    return row if alone else None
