"""From decisions to the bodies of answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from ..policy.deciding import Decisions
from .messages import DecideAnswer, DecisionBody, RowDecideAnswer, RowDecisionBody

Body = DecisionBody | RowDecisionBody


def answer(decisions: Decisions, ids: Sequence[str] | None, plan: str) -> Any:
    """Return the answer with all decisions."""
    found = _row_bodies(decisions) if decisions.actions.ndim == 2 else _bodies(decisions)
    if ids is not None:
        for body, name in zip(found, ids, strict=True):
            body.id = name
    return _answer(found, plan)


def answer_at(decisions: Decisions, row: int, name: str | None, plan: str) -> Any:
    """Return the answer with one decision of a batch."""
    names, action, q_values = decisions.action_names, decisions.actions[row], decisions.q_values
    support, abstained = float(decisions.support[row]), bool(decisions.abstained[row])
    given = UNSET if name is None else name
    body: Body
    if decisions.actions.ndim == 2:
        vector, value = action.tolist(), float(q_values[row].max())
        body = RowDecisionBody(dict(zip(names, vector)), vector, value, support, abstained, given)
    else:
        values = dict(zip(names, q_values[row].tolist()))
        taken = int(action)
        body = DecisionBody(
            names[taken], taken, values, support, abstained, _tied(decisions, row), given
        )
    return _answer([body], plan)


def _answer(bodies: list[Any], plan: str) -> Any:
    rows = bool(bodies) and isinstance(bodies[0], RowDecisionBody)
    return RowDecideAnswer(bodies, plan) if rows else DecideAnswer(bodies, plan)


def _row_bodies(decisions: Decisions) -> list[Any]:
    names = decisions.action_names
    columns = zip(
        decisions.actions.tolist(),
        decisions.values.tolist(),
        decisions.support.tolist(),
        decisions.abstained.tolist(),
        strict=True,
    )
    return [RowDecisionBody(dict(zip(names, row)), row, *rest) for row, *rest in columns]


def _bodies(decisions: Decisions) -> list[Any]:
    names = decisions.action_names
    columns = zip(
        decisions.actions.tolist(),
        decisions.q_values.tolist(),
        decisions.support.tolist(),
        decisions.abstained.tolist(),
        strict=True,
    )
    found = [
        DecisionBody(names[action], action, dict(zip(names, q)), support, abstained, [])
        for action, q, support, abstained in columns
    ]
    for row in np.flatnonzero(decisions.ties.any(axis=1)).tolist():
        found[row].ties = _tied(decisions, row)
    return found


def _tied(decisions: Decisions, row: int) -> list[str]:
    """Return the names of the actions that are tied with the best one."""
    return [decisions.action_names[a] for a in np.flatnonzero(decisions.ties[row]).tolist()]
