"""Gradient-boosted trees: they know thresholds, which smooth models blur.

A model f is a sum of small trees over what another model guesses. Each tree divides the inputs by
splits 'column <= threshold?', three on the way to a leaf, such that the gradients g of the loss
differ most between its leaves; a leaf adds RATE sum(g) / (sum(h) + RIDGE), with h the curvature:

    squares:   g = y - f,           h = 1
    logistic:  g = y - p(f),        h = p (1 - p),   p = 1 / (1 + exp(-f))

How many trees are added is decided by episodes that they were not grown from: as many as lower the
loss there most; none, where it does not fall beyond chance. So a first guess that is right stays.

References: Friedman, Greedy function approximation, 2001; Chen, Guestrin, XGBoost, 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....arrays import Float64, Int64
from .scales import chance_of

DEPTH = 3
"""Questions on the way to a leaf."""
ROUNDS = 30
"""Trees at most."""
PREDICTOR_ROUNDS = 10
"""Trees that predict errors at most: every candidate has its own."""
RATE = 0.25
"""Of a leaf's step that is taken."""
RIDGE = 1.0
"""Rows (logistic: of curvature 1) that a leaf has besides its own, with gradient 0."""
LEAST_ROWS = 5
"""In a leaf."""
SMALLEST_GAIN = 1e-12
"""Of a split, as a share of the sum of squared gradients."""
BINS = 256
"""Values of a column between which thresholds lie."""
MOST_ROWS = 5_000
"""That trees are grown from."""
PARTS = 3
"""Of the episodes, each left out once."""
CHANCE = 2.0
"""Standard errors by which the loss must fall."""


@dataclass(frozen=True, eq=False)
class Boosted:
    """A guess and a sum of trees; a question that is not asked has threshold inf.

    Attributes:
        column: [T, 2^DEPTH - 1] int64, of each question, from the root on.
        threshold: [T, 2^DEPTH - 1] float64.
        leaf: [T, 2^DEPTH] float64.
    """

    column: Int64
    threshold: Float64
    leaf: Float64

    def __call__(self, inputs: Float64, guess: Float64) -> Float64:
        """Return f [B] for inputs [B, I] and what is guessed of them [B]."""
        node = np.zeros((len(self.leaf), len(inputs)), dtype=np.int64)
        tree, row = np.arange(len(self.leaf))[:, None], np.arange(len(inputs))
        for _ in range(DEPTH):
            above = inputs[row, self.column[tree, node]] > self.threshold[tree, node]
            node = 2 * node + 1 + above
        added = self.leaf[tree, node - self.column.shape[1]].sum(axis=0)
        return np.asarray(guess + added)


def boost(
    inputs: Float64,
    wanted: Float64,
    guess: Float64,
    episodes: Int64,
    draws: Sequence[Int64],
    *,
    seed: int,
    logistic: bool = False,
) -> list[Boosted]:
    """Return models that correct a guess, if that holds for episodes they were not grown from.

    Args:
        inputs: [N, I].
        wanted: [N] numbers; 0 or 1 where `logistic`.
        guess: [N] what another model says of rows that it did not learn from; log-odds where
            `logistic`.
        episodes: [N] the episode of each row.
        draws: rows, some of them several times; for each of these draws trees of its own are grown.
        seed: of the division into parts.
        logistic: the loss; else squares.
    """
    problem = _Problem.of(inputs, wanted, guess, logistic=logistic)
    rounds, _ = _cross_fitted(problem, episodes, np.random.default_rng((seed, 4)), ROUNDS)
    return [_grown(problem, own, rounds)[0] for own in draws]


class ErrorPredictor:
    """Trees that predict errors, if they can, from states and actions."""

    def __init__(self, inputs: Float64, episodes: Int64, seed: int) -> None:
        """Choose the rows that are looked at; inputs are [N, I], episodes [N] of each row."""
        rows = np.arange(len(inputs))
        if len(rows) > MOST_ROWS:
            chosen = np.random.default_rng((seed, 5)).choice(rows, MOST_ROWS, replace=False)
            rows = np.sort(chosen)
        nothing = np.zeros(len(rows))
        self.rows, self._episodes, self._seed = rows, episodes[rows], seed
        self._problem = _Problem.of(inputs[rows], nothing, nothing, logistic=False)

    def __call__(self, errors: Float64) -> Float64:
        """Return, for the rows that are looked at, what trees of other episodes say of [N] errors.

        0 for all, where that is no better than nothing beyond chance.
        """
        problem = replace(self._problem, wanted=errors[self.rows])
        generator = np.random.default_rng((self._seed, 6))
        rounds, said = _cross_fitted(problem, self._episodes, generator, PREDICTOR_ROUNDS)
        return said[rounds]


def _cross_fitted(
    problem: _Problem, episodes: Int64, generator: np.random.Generator, most: int
) -> tuple[int, Float64]:
    """Return how many trees lower the loss of left-out episodes most, and what is said of those.

    0 where the loss may have fallen by chance. What is said is [most + 1, N].
    """
    numbers, owner = np.unique(episodes, return_inverse=True)
    said = np.tile(problem.guess, (most + 1, 1))
    if len(numbers) < 2 * PARTS or np.ptp(problem.wanted) == 0.0:
        return 0, said
    part = generator.permutation(np.arange(len(numbers)) % PARTS)[owner]
    for one in range(PARTS):
        left_out = part == one
        said[:, left_out] = _grown(problem, np.flatnonzero(~left_out), most)[1][:, left_out]
    losses = problem.loss(said)
    rounds = int(losses.mean(axis=1).argmin())
    gain = np.bincount(owner, losses[0] - losses[rounds])
    beyond_chance = gain.mean() > CHANCE * gain.std() / np.sqrt(len(gain))
    return (rounds if beyond_chance else 0), said


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows, their columns in bins: edges[i][b - 1] < x <= edges[i][b] in bin b of column i."""

    bins: Int64
    edges: tuple[Float64, ...]
    wanted: Float64
    guess: Float64
    logistic: bool

    @classmethod
    def of(cls, inputs: Float64, wanted: Float64, guess: Float64, *, logistic: bool) -> _Problem:
        edges = tuple(map(_edges, inputs.T))
        bins = [np.searchsorted(edge, column) for edge, column in zip(edges, inputs.T, strict=True)]
        return cls(np.array(bins, dtype=np.int64), edges, wanted, guess, logistic)

    def slopes(self, said: Float64) -> tuple[Float64, Float64]:
        """Return g and h [N]."""
        if not self.logistic:
            return self.wanted - said, np.ones(len(said))
        chance = chance_of(said)
        return self.wanted - chance, chance * (1.0 - chance)

    def loss(self, said: Float64) -> Float64:
        """Return the loss of what is said [..., N]."""
        if not self.logistic:
            return np.asarray((self.wanted - said) ** 2)
        return np.asarray(np.logaddexp(0.0, said) - self.wanted * said)


def _edges(column: Float64) -> Float64:
    """Return thresholds between the values of a column, at most BINS - 1."""
    values = np.unique(column)
    if len(values) > BINS:
        values = np.unique(np.quantile(column, np.linspace(0.0, 1.0, BINS)))
    return np.asarray((values[1:] + values[:-1]) / 2.0)


def _grown(problem: _Problem, rows: Int64, rounds: int) -> tuple[Boosted, Float64]:
    """Return trees grown from some rows, and what is said [rounds + 1, N] after each of them."""
    inner = 2**DEPTH - 1
    columns = np.zeros((rounds, inner), dtype=np.int64)
    thresholds, leaves = np.full((rounds, inner), np.inf), np.zeros((rounds, inner + 1))
    said = np.empty((rounds + 1, len(problem.guess)))
    said[0] = problem.guess
    for tree in range(rounds):
        slope, curve = (one[rows] for one in problem.slopes(said[tree]))
        node = np.zeros(len(said[0]), dtype=np.int64)
        for level in range(DEPTH):
            first = 2**level - 1
            for one in range(first, 2 * first + 1):
                mine = np.flatnonzero(node[rows] == one)
                split = _best_split(problem, rows[mine], slope[mine], curve[mine])
                below = node == one
                node[below] = 2 * one + 1
                if split is not None:
                    column, at = split
                    columns[tree, one], thresholds[tree, one] = column, problem.edges[column][at]
                    node[below] += problem.bins[column, below] > at
        leaf = node - inner
        total = np.bincount(leaf[rows], slope, minlength=inner + 1)
        weight = np.bincount(leaf[rows], curve, minlength=inner + 1)
        leaves[tree] = RATE * total / (weight + RIDGE)
        said[tree + 1] = said[tree] + leaves[tree, leaf]
    return Boosted(columns, thresholds, leaves), said


def _best_split(
    problem: _Problem, rows: Int64, slope: Float64, curve: Float64
) -> tuple[int, int] | None:
    """Return the column and bin after which rows are best divided; None where they are not."""
    best, found = SMALLEST_GAIN * float(slope @ slope), None
    whole, weight, count = slope.sum(), curve.sum(), len(rows)
    for column, edges in enumerate(problem.edges):
        own, size = problem.bins[column, rows], len(edges) + 1
        low = np.cumsum(np.bincount(own, slope, minlength=size))[:-1]
        below = np.cumsum(np.bincount(own, curve, minlength=size))[:-1]
        rows_below = np.cumsum(np.bincount(own, minlength=size))[:-1]
        gain = low**2 / (below + RIDGE) + (whole - low) ** 2 / (weight - below + RIDGE)
        gain -= whole**2 / (weight + RIDGE)
        gain[(rows_below < LEAST_ROWS) | (count - rows_below < LEAST_ROWS)] = 0.0
        at = int(gain.argmax()) if len(gain) else 0
        if len(gain) and gain[at] > best:
            best, found = float(gain[at]), (column, at)
    return found
