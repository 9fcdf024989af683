"""What a plan does in few words: a small tree over labels of its actions.

The labels are the actions themselves. Where actions are rows, every column has its own account, in
thirds of its range; whole numbers up to six are labels as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Array, Float64, Int64
from ..data.transitions import Transitions
from ..solvers.planned_actions import action_spans, steps_apart
from .decisions import Decisions
from .tree import Rule, fidelity, grow

PARTS = 3
"""Labels of a column of continuous numbers."""
FEW = 6
"""Different whole numbers up to which each is a label."""
FAITHFUL = 0.7
"""Fidelity, below which rules are no summary of a plan."""
LEAST_GAIN = 0.05
"""Share of the states that they must tell beyond those that always the same action tells."""
COLUMNS_TOLD = 3
"""Columns of rows with an account: those that change most often."""


@dataclass(frozen=True, eq=False)
class Account:
    """What is done in S logged states.

    Attributes:
        column: of actions that are rows; None where they are numbered.
        names: of the labels.
        logged: [S] int64, labels of what was done.
        planned: [S] int64, labels of what the policy does.
        rules: a small tree that tells the planned labels.
    """

    column: int | None
    names: tuple[str, ...]
    logged: Int64
    planned: Int64
    rules: tuple[Rule, ...]

    @property
    def fidelity(self) -> float:
        """Share of the states for which the rules tell the plan's label."""
        return fidelity(self.rules, self.planned)

    @property
    def most_common_share(self) -> float:
        """Share of the states that one and the same label would tell: what rules must beat."""
        return float(np.bincount(self.planned).max() / len(self.planned))

    @property
    def caution(self) -> str:
        """How far the rules can be taken for the plan, in one sentence."""
        if self.fidelity < FAITHFUL:
            return "That is little: what the plan does cannot be said in so few words."
        if len(self.rules) > 1 and self.fidelity < self.most_common_share + LEAST_GAIN:
            return "That is hardly more than always the same action tells."
        return "The plan itself is finer than they are."


def accounts_of(data: Transitions, decisions: Decisions) -> tuple[Account, ...]:
    """Return the account of a plan's decisions, or one per column, the most changed first."""
    if not data.action_vectors:
        return (_account(None, data.action_names, decisions, decisions.logged, decisions.planned),)
    changed = np.abs(steps_apart(data, decisions.logged, decisions.planned)).sum(axis=0)
    order = np.argsort(-changed, kind="stable")[:COLUMNS_TOLD]
    return tuple(_of_column(int(column), data, decisions) for column in order)


def _of_column(column: int, data: Transitions, decisions: Decisions) -> Account:
    low, high = action_spans(data)[:, column]
    name = data.action_names[column]
    if data.actions.dtype.kind == "i" and high - low < FEW:
        names = tuple(f"{name} {number:g}" for number in range(int(low), int(high) + 1))
        edges = np.arange(low, high) + 0.5
    else:
        ends = np.linspace(low, high, PARTS + 1)
        edges = ends[1:-1]
        names = tuple(f"{name} {one:.3g} to {two:.3g}" for one, two in pairwise(ends))
    labels = [_labels(edges, rows[:, column]) for rows in (decisions.logged, decisions.planned)]
    return _account(column, names, decisions, *labels)


def _labels(edges: Float64, values: Array) -> Int64:
    return np.searchsorted(edges, values, side="right").astype(np.int64)


def _account(
    column: int | None, names: tuple[str, ...], decisions: Decisions, logged: Int64, planned: Int64
) -> Account:
    return Account(column, names, logged, planned, grow(decisions.columns, planned))
