"""The results by what they are about: per seed, and over the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from scipy.stats import t as student

from .grid import Setting
from .results import Row

Point = tuple[float, float, int]
"""Mean return over the seeds, half-width of its 95 % interval, number of seeds.

The interval is over seeds; where there is one seed, over its episodes, which says nothing of
another dataset.
"""


class Summary:
    """Rows by what they are about."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.sizes = sorted({row.size for row in rows})
        self.encoders = sorted({row.encoder for row in rows})
        self._epsilons = {(row.encoder, row.epsilon) for row in rows}
        self._found: dict[tuple[object, ...], dict[int, Row]] = {}
        for row in rows:
            key = (row.bag, row.size, row.encoder, row.epsilon, *row.key[4:9])
            self._found.setdefault(key, {})[row.seed] = row

    def epsilons(self, encoder: str) -> list[float]:
        """Return how policies were played with a representation."""
        return sorted(epsilon for known, epsilon in self._epsilons if known == encoder)

    def per_seed(
        self, bag: str, size: int, encoder: str, epsilon: float, setting: Setting
    ) -> dict[int, float]:
        """Return the mean return of every seed that was run."""
        rows = self._found.get((bag, size, encoder, epsilon, *asdict(setting).values()), {})
        return {seed: row.mean_return for seed, row in rows.items()}

    def point(
        self, bag: str, size: int, encoder: str, epsilon: float, setting: Setting
    ) -> Point | None:
        """Return mean and interval over seeds (Student's t), None where nothing was run."""
        rows = self._found.get((bag, size, encoder, epsilon, *asdict(setting).values()), {})
        if not rows:
            return None
        means = np.array([row.mean_return for row in rows.values()])
        if len(rows) == 1:
            (only,) = rows.values()
            count, deviation = only.episodes, only.deviation
        else:
            count, deviation = len(means), float(means.std(ddof=1))
        width = float(student.ppf(0.975, count - 1)) * deviation / np.sqrt(count)
        return float(means.mean()), float(width), len(means)
