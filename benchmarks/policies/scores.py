"""From runs to figures: means over data seeds, intervals, scores, predictions.

The interval of a mean is a two-level percentile bootstrap: data seeds are drawn with replacement,
and episodes within each. Everybody has the same seeds and episodes, so differences draw both
methods' together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cells import DATA_SEEDS
from .methods import METHODS, REFERENCES
from .runs import Run

RESAMPLES = 2_000
LEVEL = 0.95
CLOSE = 0.15
"""Share of the range of returns within which a prediction counts as right."""
NEAR = 0.05
"""Share of the way from random to the best within which a method counts as near the best."""


@dataclass(frozen=True)
class Difference:
    """How much more one method earns than another: mean, and the ends of its interval."""

    mean: float
    low: float
    high: float


class CellScores:
    """The runs of one cell.

    Args:
        name: of the cell.
        runs: of all its methods and seeds.
    """

    def __init__(self, name: str, runs: Iterable[Run]) -> None:
        self.name = name
        self._runs = {(run.method, run.seed): run for run in runs if run.cell == name}

    @property
    def methods(self) -> list[str]:
        """Methods with a run for each data seed."""
        return [one for one in METHODS if all((one, seed) in self._runs for seed in DATA_SEEDS)]

    @property
    def candidates(self) -> list[str]:
        """The same, without behaviour and random actions."""
        return [one for one in self.methods if one not in REFERENCES]

    @property
    def best(self) -> str:
        """The method with the highest mean."""
        return max(self.candidates, key=self.mean)

    def of(self, method: str) -> list[Run]:
        """Return a method's runs, one per data seed."""
        return [self._runs[method, seed] for seed in DATA_SEEDS]

    def mean(self, method: str) -> float:
        """Return the mean return over data seeds."""
        return float(np.mean([np.mean(run.returns) for run in self.of(method)]))

    def interval(self, method: str) -> tuple[float, float]:
        """Return the interval of the mean return."""
        return bootstrap([run.returns for run in self.of(method)])

    def seconds(self, method: str) -> float:
        """Return the median processor time."""
        return float(np.median([run.seconds for run in self.of(method)]))

    def difference(self, one: str, other: str) -> Difference:
        """Return how much more a method earns than another, with its interval."""
        pairs = [
            np.asarray(first.returns) - np.asarray(second.returns)
            for first, second in zip(self.of(one), self.of(other), strict=True)
        ]
        low, high = bootstrap(pairs)
        return Difference(float(np.mean([pair.mean() for pair in pairs])), low, high)

    def score(self, method: str) -> float:
        """Return 0 for random actions, 1 for the best method."""
        floor, top = self.mean("random"), self.mean(self.best)
        return (self.mean(method) - floor) / (top - floor) if top > floor else float("nan")

    def with_the_best(self, method: str) -> bool:
        """Whether a method is the best, or not shown to be worse than it."""
        return method == self.best or self.difference(self.best, method).low <= 0.0

    def near_the_best(self, method: str) -> bool:
        """Whether a method is at most 5 % of the way from random to the best below it."""
        return self.score(method) >= 1.0 - NEAR

    def worse_than_behaviour(self, method: str) -> bool:
        """Whether a method is shown to earn less than logged behaviour."""
        return self.difference(method, "behaviour").high < 0.0

    def prediction(self, method: str) -> tuple[float, float, float] | None:
        """Return predicted and true value, and the error as a share of the range of returns.

        The range is that of the discounted returns of logged episodes and of the method's own.
        """
        runs = self.of(method)
        said = [run.predicted for run in runs if run.predicted is not None]
        if len(said) < len(runs):
            return None
        ends = [end for run in runs for end in (*run.logged, *run.values)]
        true = [float(np.mean(run.values)) for run in runs]
        error = float(np.mean(np.abs(np.subtract(said, true))))
        return float(np.mean(said)), float(np.mean(true)), error / (max(ends) - min(ends))


def bootstrap(groups: Sequence[Any]) -> tuple[float, float]:
    """Return the interval of the mean of means of groups (data seeds) of numbers (episodes)."""
    generator = np.random.default_rng(0)
    arrays = [np.asarray(group, float) for group in groups]
    means = np.stack(
        [
            one[generator.integers(len(one), size=(RESAMPLES, len(groups), len(one)))].mean(axis=2)
            for one in arrays
        ],
        axis=2,
    )  # [resamples, draw, group]
    drawn = generator.integers(len(groups), size=(RESAMPLES, len(groups), 1))
    totals = np.take_along_axis(means, drawn, axis=2)[:, :, 0].mean(axis=1)
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(totals, (tail, 1.0 - tail))
    return float(low), float(high)
