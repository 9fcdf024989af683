"""From decisions to the bodies of answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import UNSET

from ..policy.deciding import Decisions
from .messages import DecisionBody


def bodies(decisions: Decisions, ids: Sequence[str] | None = None) -> list[DecisionBody]:
    """Return the bodies of all decisions."""
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
        found[row].ties = tied(decisions, row)
    if ids is not None:
        for body, name in zip(found, ids, strict=True):
            body.id = name
    return found


def body_at(decisions: Decisions, row: int, name: str | None) -> DecisionBody:
    """Return the body of one decision."""
    names, action = decisions.action_names, int(decisions.actions[row])
    return DecisionBody(
        names[action],
        action,
        dict(zip(names, decisions.q_values[row].tolist())),
        float(decisions.support[row]),
        bool(decisions.abstained[row]),
        tied(decisions, row),
        UNSET if name is None else name,
    )


def tied(decisions: Decisions, row: int) -> list[str]:
    """Return the names of the actions that are tied with the best one."""
    return [decisions.action_names[a] for a in np.flatnonzero(decisions.ties[row]).tolist()]
