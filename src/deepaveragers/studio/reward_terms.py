"""Another reward from named columns and simple terms; nothing is evaluated as code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arguments import choice, number
from ..arrays import Array, Float64
from ..data.column_names import labels_of
from ..data.transitions import Transitions
from ..errors import InputError
from .question_messages import Reward, RewardTerm, When

COMPARE = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
MOST_TERMS = 32


def rewards_of(reward: Reward, data: Transitions, logged: Float64) -> Float64:
    """Return [N] float64, the rewards that are asked for.

    Args:
        reward: the terms.
        data: the transitions.
        logged: [N] rewards that "logged" means.
    """
    if len(reward.terms) > MOST_TERMS:
        raise InputError("reward", f"at most {MOST_TERMS} terms", len(reward.terms))
    labels = labels_of(data.observation_names, data.observation_shape)
    total = logged.astype(np.float64) if reward.keep_logged else np.zeros(len(data))
    for term in reward.terms:
        total += _values(term, data, logged, labels)
    return total


def _values(term: RewardTerm, data: Transitions, logged: Float64, labels: Sequence[str]) -> Float64:
    values = number("weight", term.weight) * _looked_at(term, data, logged, labels)
    if term.action is not None:
        data.check_numbered("action", "for a term that counts for one of them")
        if not 0 <= term.action < len(data.action_names):
            raise InputError("action", f"in 0..{len(data.action_names) - 1}", term.action)
        values = np.where(data.actions == term.action, values, 0.0)
    if term.when is None:
        return values
    side = data.next_observations if term.of in ("next", "change") else data.observations
    return np.where(_holds(term.when, side, labels), values, 0.0)


def _looked_at(
    term: RewardTerm, data: Transitions, logged: Float64, labels: Sequence[str]
) -> Float64:
    if term.of == "logged":
        return logged
    if term.of == "constant":
        return np.ones(len(data))
    place = column_place(term.column, labels)
    now, later = data.observations, data.next_observations
    if term.of == "state":
        return _column(now, place)
    return _column(later, place) - (_column(now, place) if term.of == "change" else 0.0)


def _holds(when: When, side: Array, labels: Sequence[str]) -> Array:
    compare = COMPARE[choice("op", when.op, tuple(COMPARE))]
    column = _column(side, column_place(when.column, labels))
    return np.asarray(compare(column, number("value", when.value)))


def _column(rows: Array, place: int) -> Float64:
    return np.asarray(rows[:, place], dtype=np.float64)


def column_place(name: str, labels: Sequence[str]) -> int:
    """Return the place of a column by its name."""
    if name not in labels:
        known = "a column of the observations" if labels else "none: pictures have no columns"
        raise InputError("column", known, repr(name))
    return list(labels).index(name)
