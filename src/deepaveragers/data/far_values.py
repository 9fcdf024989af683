"""Values far outside of the others in their column: codes for 'missing', faults of a sensor.

A column is *squashed* where its standard deviation is far larger than the range of most of its
values: a few values make the deviation, and standardised, all others lie side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Bool, Float64

FEWEST = 20
"""Rows below which nothing is said of most of them."""
FAR = 20.0
"""Times the range of most values, beyond which one lies far outside."""
SAMPLE = 2_000


class Most(NamedTuple):
    """Where nine tenths of the values of each column lie: [D] float64 each."""

    low: Float64
    middle: Float64
    high: Float64

    @property
    def reach(self) -> Float64:
        """[D] how far from the middle a value may be; inf where most values are the same."""
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
