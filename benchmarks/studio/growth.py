"""Does memory grow? Its samples by the minute, and a line through the second half of them.

What work needs for a moment comes and goes; what stays is seen where a minute was lowest. The line
is that of least squares through these, its error twice the standard error.
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
    """Megabytes by the minute; each minute keeps its least and its most."""

    def __init__(self) -> None:
        self._least: dict[int, float] = {}
        self._most: dict[int, float] = {}

    def add(self, minutes: float, megabytes: float) -> None:
        """Take note of a sample."""
        at = int(minutes)
        self._least[at] = min(megabytes, self._least.get(at, megabytes))
        self._most[at] = max(megabytes, self._most.get(at, megabytes))

    def least(self, minute: int) -> float:
        """Return the least of a minute."""
        return self._least[minute]

    def most(self, minute: int) -> float:
        """Return the most of a minute."""
        return self._most[minute]

    def slope(self) -> Slope | None:
        """Return the slope over the second half of the minutes; None if these are too few."""
        minutes = np.array(sorted(self._least)[len(self._least) // 2 :], dtype=np.float64)
        if len(minutes) < FEWEST:
            return None
        least = np.array([self._least[int(minute)] for minute in minutes])
        apart = minutes - minutes.mean()
        slope = float(apart @ least / (apart @ apart))
        rest = least - least.mean() - slope * apart
        deviation = float(np.sqrt(rest @ rest / (len(minutes) - 2)))
        return Slope(slope, 2.0 * deviation / float(np.sqrt(apart @ apart)))
