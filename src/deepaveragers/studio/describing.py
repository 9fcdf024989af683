"""Some core states in words: conditions on named columns that tell them from the others."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..arrays import Bool, Float64, Int64
from ..reporting.tree import Rule, flag_words, grow
from .columns import MINUS
from .inspection_messages import Condition
from .messages import Column
from .session import Session

SAMPLE = 10_000
"""States of each kind that a description is grown from."""
RANGE_DIGITS = 3
"""Digits of a column's range that words show; the numbers beside them are exact."""


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
    for one in rule.conditions:
        column = session.columns[one.column]
        name, words = column.name, _words(column, one.above, one.most)
        if one.above > -math.inf:
            yield Condition(name, ">", one.above, words)
        if one.most < math.inf:
            yield Condition(name, "<=", one.most, "" if one.above > -math.inf else words)


def _words(column: Column, above: float, most: float) -> str:
    """Return above < column <= most in words."""
    if column.kind == "flag":
        return flag_words(column.name, above > -math.inf)
    name = f"{column.name} [{column.unit}]" if column.unit else column.name
    span = column.quantiles[-1] - column.quantiles[0] or column.high - column.low
    span = min(span, 10 * (most - above))
    low, high = _short(above, span), _short(most, span)
    if above == -math.inf:
        return f"{name} ≤ {high}"
    return f"{name} > {low}" if most == math.inf else f"{low} < {name} ≤ {high}"


def _short(value: float, span: float) -> str:
    """Return a number with as many digits as a span needs."""
    if not math.isfinite(value):
        return ""
    decimals = RANGE_DIGITS - math.floor(math.log10(span)) - 1 if span > 0 else RANGE_DIGITS
    return f"{round(value, decimals):.12g}".replace("-", MINUS)


def _some(rows: Int64, random: np.random.Generator) -> Int64:
    return rows if len(rows) <= SAMPLE else np.sort(random.choice(rows, SAMPLE, replace=False))
