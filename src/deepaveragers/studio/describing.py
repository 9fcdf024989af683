"""Some core states in words: conditions on named columns that tell them from the others."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..arrays import Bool, Float64, Int64
from ..reporting.tree import Rule, grow, in_words
from .inspection_messages import Condition
from .session import Session

SAMPLE = 10_000
"""States of each kind that a description is grown from."""


def state_columns(session: Session, rows: Int64) -> Float64:
    """Return [S, D] the columns of core states; D is 0 for pictures."""
    width = len(session.axes.labels)
    if not width:
        return np.empty((len(rows), 0))
    return np.asarray(session.data.next_observations[rows][:, :width], dtype=np.float64)


def rules_of(session: Session, rows: Int64, marked: Bool) -> list[Rule]:
    """Return rules for the marked [S] among core states [S], those that hold most of them first.

    The tree is grown from as many marked as unmarked states, or a few marked ones among many
    would never be worth a question.
    """
    if not session.axes.labels or marked.all() or not marked.any():
        return []
    random = np.random.default_rng(0)
    picks = np.concatenate([_some(np.flatnonzero(kind), random) for kind in (marked, ~marked)])
    columns = state_columns(session, rows[picks])
    found = [rule for rule in grow(columns, marked[picks].astype(np.int64)) if rule.action == 1]
    return sorted(found, key=lambda rule: -int(marked[picks[rule.states]].sum()))


def conditions_of(session: Session, rule: Rule) -> tuple[Condition, ...]:
    """Return the conditions of a rule by name, each with its words."""
    return tuple(_conditions(session, rule))


def _conditions(session: Session, rule: Rule) -> Iterator[Condition]:
    axes = session.axes
    names = tuple(f"{n} [{u}]" if u else n for n, u in zip(axes.labels, axes.units, strict=True))
    flags = [column.kind == "flag" for column in session.columns]
    # What the words depend on is whether a column has other values than 0 and 1.
    columns = np.where(flags, 0.0, 0.5)[None]
    for one in rule.conditions:
        words = in_words(Rule((one,), 0, rule.states), names, columns)
        name = axes.labels[one.column]
        if one.above > -math.inf:
            yield Condition(name, ">", one.above, words)
        if one.most < math.inf:
            yield Condition(name, "<=", one.most, "" if one.above > -math.inf else words)


def _some(rows: Int64, random: np.random.Generator) -> Int64:
    return rows if len(rows) <= SAMPLE else np.sort(random.choice(rows, SAMPLE, replace=False))
