"""A small decision tree that tells what a plan does, over the columns of the observations.

It is grown greedily, to three questions at most: each splits the states at the column and
threshold that leave the least Gini impurity, sum over both sides of n - sum_a n_a^2 / n.
A threshold is the shortest number between two neighbouring values, so that what is shown is
exactly what is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Float64, Int64

DEPTH = 3
"""Questions on the way to an answer, at most."""
LEAST_SHARE = 0.02
"""Share of the states that an answer must speak of."""
CUTS = 64
"""Thresholds that are tried per column."""


@dataclass(frozen=True)
class Condition:
    """One question: above < column <= most, either end may be infinite."""

    column: int
    above: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True, eq=False)
class Rule:
    """One leaf of the tree.

    Attributes:
        conditions: all hold, at most one per column.
        action: the plan's most frequent action there.
        states: [n] int64, the places of the states there, among those that it was grown from.
    """

    conditions: tuple[Condition, ...]
    action: int
    states: Int64

    def holds(self, columns: Float64) -> Bool:
        """Return [S] whether the conditions hold in states [S, D]."""
        holding = np.ones(len(columns), dtype=bool)
        for one in self.conditions:
            values = columns[:, one.column]
            holding &= (values > one.above) & (values <= one.most)
        return holding


def grow(columns: Float64, actions: Int64, depth: int = DEPTH) -> tuple[Rule, ...]:
    """Return the rules of a tree that tells actions [S] from columns [S, D].

    Every state is in exactly one rule.
    """
    least = max(1, math.ceil(LEAST_SHARE * len(columns)))
    return tuple(_grow(columns, actions, Rule((), 0, np.arange(len(columns))), depth, least))


def fidelity(rules: tuple[Rule, ...], actions: Int64) -> float:
    """Return the share of the states for which the rules tell the plan's action."""
    told = sum(int((actions[rule.states] == rule.action).sum()) for rule in rules)
    return told / len(actions)


def _grow(columns: Float64, actions: Int64, at: Rule, depth: int, least: int) -> list[Rule]:
    here = actions[at.states]
    leaf = Rule(at.conditions, int(np.bincount(here).argmax()), at.states)
    split = _best_split(columns[at.states], here, least) if depth else None
    if split is None:
        return [leaf]
    column, threshold = split
    low = columns[at.states, column] <= threshold
    below = Rule(_narrowed(at.conditions, column, most=threshold), 0, at.states[low])
    above = Rule(_narrowed(at.conditions, column, above=threshold), 0, at.states[~low])
    rules = [
        rule for side in (below, above) for rule in _grow(columns, actions, side, depth - 1, least)
    ]
    # A question whose answers are all the same tells nothing.
    return [leaf] if len({rule.action for rule in rules}) == 1 else rules


def _best_split(columns: Float64, actions: Int64, least: int) -> tuple[int, float] | None:
    """Return the column and threshold that leave the least impurity; None where none helps."""
    kinds, labels = np.unique(actions, return_inverse=True)
    size = len(labels)
    if len(kinds) == 1 or size < 2 * least:
        return None
    one_hot = np.eye(len(kinds))[labels]
    total = one_hot.sum(axis=0)
    best, found = size - float((total**2).sum()) / size - 1e-9 * size, None
    tried = np.unique(np.linspace(least, size - least, CUTS).astype(np.int64))
    for column in range(columns.shape[1]):
        order = np.argsort(columns[:, column], kind="stable")
        values = columns[order, column]
        cuts = np.unique(np.searchsorted(values, values[np.minimum(tried, size - 1)]))
        cuts = cuts[(cuts >= least) & (cuts <= size - least)]
        if not len(cuts):
            continue
        left = np.cumsum(one_hot[order], axis=0)[cuts - 1]
        impurity = size - (left**2).sum(axis=1) / cuts
        impurity -= ((total - left) ** 2).sum(axis=1) / (size - cuts)
        place = int(impurity.argmin())
        if impurity[place] < best:
            best, cut = float(impurity[place]), int(cuts[place])
            found = column, shortest_between(float(values[cut - 1]), float(values[cut]))
    return found


def shortest_between(low: float, high: float) -> float:
    """Return the number with the fewest digits in [low, high)."""
    middle = low / 2 + high / 2
    for digits in range(1, 18):
        number = float(f"{middle:.{digits}g}")
        if low <= number < high:
            return number
    return low


def _narrowed(
    conditions: tuple[Condition, ...],
    column: int,
    above: float = -math.inf,
    most: float = math.inf,
) -> tuple[Condition, ...]:
    """Return the conditions with one more, as one per column."""
    known = {one.column: one for one in conditions}
    old = known.get(column, Condition(column))
    known[column] = Condition(column, max(old.above, above), min(old.most, most))
    return tuple(known.values())


def flag_words(name: str, holds: bool) -> str:
    """Return what a column of 0 and 1 says; those of categories are called `column=label`."""
    column, mark, label = name.rpartition("=")
    if mark and column and label:
        return f"{column} is {'' if holds else 'not '}{label}"
    return f"{name}: {'yes' if holds else 'no'}"


def in_words(rule: Rule, labels: tuple[str, ...], columns: Array) -> str:
    """Return the conditions of a rule as a sentence over the names of the columns."""
    parts = []
    for one in rule.conditions:
        name, values = labels[one.column], columns[:, one.column]
        if np.isin(values, (0.0, 1.0)).all():
            parts.append(flag_words(name, one.above > -math.inf))
        elif one.above == -math.inf:
            parts.append(f"{name} ≤ {one.most:.12g}")
        elif one.most == math.inf:
            parts.append(f"{name} > {one.above:.12g}")
        else:
            parts.append(f"{one.above:.12g} < {name} ≤ {one.most:.12g}")
    return " and ".join(parts) or "everywhere"
