"""Does memory grow? A sample a minute, taken at rest, and a line through the second half of them.

The line is that of least squares, its error twice the standard error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FEWEST = 3
"""Whole minutes in the second half, below which no line says anything."""


class Slope(NamedTuple):
    """Megabytes a minute, and how far the line may be wrong."""

    a_minute: float
    error: float

    def __str__(self) -> str:
        return f"{self.a_minute:+.2f} ± {self.error:.2f} MB a minute"


class Growth:
    """Megabytes by the minute."""

    def __init__(self) -> None:
        self._megabytes: dict[int, float] = {}

    def add(self, minute: int, megabytes: float) -> None:
        """Take note of a minute."""
        self._megabytes[minute] = megabytes

    def slope(self) -> Slope | None:
        """Return the slope over the second half of the minutes; None if these are too few."""
        half = sorted(self._megabytes)[len(self._megabytes) // 2 :]
        minutes = np.array(half, dtype=np.float64)
        if len(minutes) < FEWEST:
            return None
        found = np.array([self._megabytes[minute] for minute in half])
        apart = minutes - minutes.mean()
        slope = float(apart @ found / (apart @ apart))
        rest = found - found.mean() - slope * apart
        deviation = float(np.sqrt(rest @ rest / (len(minutes) - 2)))
        return Slope(slope, 2.0 * deviation / float(np.sqrt(apart @ apart)))
