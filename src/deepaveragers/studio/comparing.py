"""Two plans side by side."""

from __future__ import annotations

import msgspec
import numpy as np

from ..arrays import Int64
from ..errors import InputError
from ..evaluation.comparison import TOLERANCE, Loss
from ..evaluation.comparison import compare as compare_plans
from ..solvers.plan import Plan
from .colouring import planned_actions
from .describing import conditions_of, rules_of, state_columns
from .inspection_messages import Condition
from .plans import Kept
from .session import Session

COARSE = 1e-3
"""Tolerance of the losses of large models, which would take half a minute otherwise."""
WITH_HORIZON = "What each loses by acting like the other is told of plans without a horizon only."
GROUPS = 4
"""Groups that are described."""


class Change(msgspec.Struct, frozen=True, rename={"old": "from", "new": "to"}):
    """One kind of change; the gain is the right plan's, per decision, on average."""

    old: int
    new: int
    states: int
    gain: float | None


class Mostly(msgspec.Struct, frozen=True, rename={"old": "from", "new": "to"}):
    """The most frequent change of a group."""

    old: int
    new: int


class ChangedGroup(msgspec.Struct, frozen=True):
    """States where many decisions change, described by columns."""

    conditions: tuple[Condition, ...]
    states: int
    changed_share: float
    mostly: Mostly


class Starts(msgspec.Struct, frozen=True):
    """Mean values at the starts, each under its own question."""

    left: float | None
    right: float | None


class Lost(msgspec.Struct, frozen=True):
    """What a plan loses under its own question by acting like the other; certified error."""

    value: float
    lost: float
    error: float
    impossible: int


class Losses(msgspec.Struct, frozen=True):
    """What each loses by acting like the other."""

    left_under_right: Lost
    right_under_left: Lost


class Compared(msgspec.Struct, frozen=True):
    """Where two plans differ, and what that costs.

    Attributes:
        changed_share: of the core states that go on.
        changes: the most frequent first.
        start: values at the starts.
        loss: None where it cannot be said.
        note: why not.
        groups: where most decisions change.
    """

    changed_share: float
    changes: tuple[Change, ...]
    start: Starts
    loss: Losses | None
    note: str
    groups: tuple[ChangedGroup, ...]


def compare(session: Session, left: Kept, right: Kept) -> Compared:
    """Return where two plans differ, and what that costs."""
    before, after = planned_actions(left.plan), planned_actions(right.plan)
    living = np.flatnonzero(before >= 0)
    changed = living[before[living] != after[living]]
    loss, note = _loss(left.plan, right.plan, TOLERANCE if session.live else COARSE)
    return Compared(
        changed_share=len(changed) / max(1, len(living)),
        changes=_changes(right.plan, before, after, changed),
        start=Starts(left.summary.start_value, right.summary.start_value),
        loss=loss,
        note=note,
        groups=_groups(session, before, after, living),
    )


def _loss(left: Plan, right: Plan, tolerance: float) -> tuple[Losses | None, str]:
    if left is right:
        return None, "These are one and the same plan."
    if left.objective.horizon is not None or right.objective.horizon is not None:
        return None, WITH_HORIZON
    try:
        found = compare_plans(left, right, tolerance=tolerance)
    except InputError as error:
        return None, str(error)
    return Losses(
        left_under_right=_lost(found.second_loss), right_under_left=_lost(found.first_loss)
    ), ""


def _lost(loss: Loss) -> Lost:
    return Lost(loss.other, loss.lost, loss.error, loss.impossible)


def _changes(right: Plan, before: Int64, after: Int64, rows: Int64) -> tuple[Change, ...]:
    pairs = np.column_stack((before[rows], after[rows]))
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    found = []
    for (old, new), count in zip(kinds.tolist(), counts.tolist(), strict=True):
        here = rows[(pairs[:, 0] == old) & (pairs[:, 1] == new)]
        with np.errstate(invalid="ignore"):
            gains = right.q_values[here, new] - right.q_values[here, old]
        gains = gains[np.isfinite(gains)]
        found.append(Change(old, new, count, float(gains.mean()) if len(gains) else None))
    return tuple(sorted(found, key=lambda one: -one.states))


def _groups(
    session: Session, before: Int64, after: Int64, living: Int64
) -> tuple[ChangedGroup, ...]:
    marked = before[living] != after[living]
    rules = rules_of(session, living, marked)
    columns = state_columns(session, living) if rules else np.empty((0, 0))
    found = []
    for rule in rules[:GROUPS]:
        here = living[rule.holds(columns)]
        differs = here[before[here] != after[here]]
        if not len(differs):
            continue
        pairs = np.column_stack((before[differs], after[differs]))
        kinds, counts = np.unique(pairs, axis=0, return_counts=True)
        old, new = kinds[counts.argmax()].tolist()
        found.append(
            ChangedGroup(
                conditions=conditions_of(session, rule),
                states=len(here),
                changed_share=len(differs) / len(here),
                mostly=Mostly(old, new),
            )
        )
    return tuple(sorted(found, key=lambda one: -one.states * one.changed_share))
