"""Two plans side by side."""

from __future__ import annotations

import msgspec
import numpy as np

from ..arrays import Int64
from ..data.transitions import Transitions
from ..errors import InputError
from ..evaluation.comparing import TOLERANCE, shifts_of
from ..evaluation.comparing import compare as compare_plans
from ..evaluation.comparison import Loss
from ..solvers.plan import Plan
from ..solvers.planned_actions import action_spans, numbers_of, others
from .columns import action_labels
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


class ColumnShift(msgspec.Struct, frozen=True):
    """How a column of actions that are rows changes; see `evaluation.comparison.Shift`."""

    index: int
    lower: int
    higher: int
    mean: float


class ChangedGroup(msgspec.Struct, frozen=True):
    """States where many decisions change, described by columns; `mostly` says how, in words."""

    conditions: tuple[Condition, ...]
    states: int
    changed_share: float
    mostly: str


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
        changes: the most frequent first; none where actions are rows.
        shifts: by column of actions that are rows; none otherwise.
        start: values at the starts.
        loss: None where it cannot be said.
        note: why not.
        groups: where most decisions change.
    """

    changed_share: float
    changes: tuple[Change, ...]
    shifts: tuple[ColumnShift, ...]
    start: Starts
    loss: Losses | None
    note: str
    groups: tuple[ChangedGroup, ...]


def compare(session: Session, left: Kept, right: Kept) -> Compared:
    """Return where two plans differ, and what that costs."""
    before, after = left.planned, right.planned
    living, data = np.flatnonzero(before >= 0), session.data
    changed = living[others(data, before[living], after[living])]
    loss, note = _loss(left.plan, right.plan, TOLERANCE if session.live else COARSE)
    return Compared(
        changed_share=len(changed) / max(1, len(living)),
        changes=() if data.action_vectors else _changes(right.plan, before, after, changed),
        shifts=_shifts(data, before[living], after[living]),
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
    data = session.data
    marked = others(data, before[living], after[living])
    rules = rules_of(session, living, marked)
    columns = state_columns(session, living) if rules else np.empty((0, 0))
    found = []
    for rule in rules[:GROUPS]:
        here = living[rule.holds(columns)]
        differs = here[others(data, before[here], after[here])]
        if not len(differs):
            continue
        found.append(
            ChangedGroup(
                conditions=conditions_of(session, rule),
                states=len(here),
                changed_share=len(differs) / len(here),
                mostly=_mostly(data, before[differs], after[differs]),
            )
        )
    return tuple(sorted(found, key=lambda one: -one.states * one.changed_share))


def _shifts(data: Transitions, before: Int64, after: Int64) -> tuple[ColumnShift, ...]:
    if not data.action_vectors:
        return ()
    found = shifts_of(data, numbers_of(data, before), numbers_of(data, after))
    return tuple(
        ColumnShift(place, one.lower, one.higher, one.mean) for place, one in enumerate(found)
    )


def _mostly(data: Transitions, before: Int64, after: Int64) -> str:
    """Return the most frequent change or, of rows, the column that changes most and how."""
    if data.action_vectors:
        low, high = action_spans(data)
        means = np.array([one.mean for one in _shifts(data, before, after)])
        most = int(np.abs(means / np.where(high > low, high - low, 1.0)).argmax())
        words = "higher" if means[most] > 0 else "lower"
        return f"{action_labels(data)[most]} {words} by {abs(means[most]):.3g} on average"
    pairs = np.column_stack((before, after))
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    old, new = kinds[counts.argmax()].tolist()
    return f"mostly {data.action_names[old]} → {data.action_names[new]}"
