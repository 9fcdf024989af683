"""The columns of decisions: one action or its numbers, values, support, and the plan."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..policy.compact import CompactPolicy
from ..policy.deciding import Decisions

TIE_MARK = "|"
"""Between the names of tied actions."""
ROW_COLUMNS = ("value", "support", "abstained", "plan")
"""Beside the numbers of an action that is a row."""


def names_of(policy: CompactPolicy) -> list[str]:
    """Return the names of the columns of a policy's decisions."""
    return list(columns_of(policy.decide([]), policy.digest))


def columns_of(decisions: Decisions, digest: str) -> dict[str, Array]:
    """Return the columns of decisions by a policy with a digest."""
    plan = np.full(len(decisions), digest, dtype=object)
    if decisions.actions.ndim == 2:
        own = {
            _component(name): decisions.actions[:, place]
            for place, name in enumerate(decisions.action_names)
        }
        rest = decisions.values, decisions.support, decisions.abstained, plan
        return {**own, **dict(zip(ROW_COLUMNS, rest, strict=True))}
    names = np.array(decisions.action_names, dtype=object)
    columns: dict[str, Array] = {"action": names[decisions.actions]}
    for place, name in enumerate(decisions.action_names):
        columns[f"q_{name}"] = decisions.q_values[:, place]
    columns["support"], columns["abstained"] = decisions.support, decisions.abstained
    columns["ties"], columns["plan"] = _tie_words(decisions), plan
    return columns


def _component(name: str) -> str:
    """Return the name of the column of a part of an action: its own, unless that is taken."""
    return f"action_{name}" if name in ("row", *ROW_COLUMNS) else name


def _tie_words(decisions: Decisions) -> Array:
    """Return [B] the names of the actions that are tied with the best one."""
    words: Array = np.full(len(decisions), "", dtype=object)
    for row in np.flatnonzero(decisions.ties.any(axis=1)).tolist():
        tied = np.flatnonzero(decisions.ties[row]).tolist()
        words[row] = TIE_MARK.join(decisions.action_names[action] for action in tied)
    return words
