"""A group of core states: what is planned there, what was done, and what they have in common."""

from __future__ import annotations

import numpy as np

from ..arrays import Int64
from ..errors import InputError
from ..solvers.plan import Plan
from ..solvers.planned_actions import numbers_of, planned_actions
from .colouring import logged_actions
from .describing import conditions_of, rules_of, state_columns
from .inspection_messages import (
    Condition,
    Group,
    GroupAction,
    GroupActionColumn,
    GroupColumn,
    GroupRequest,
    Polygon,
)
from .session import Session
from .summaries import spread_of

MEMBERS_TOLD = 20_000
"""Numbers of states that an answer lists."""
MOST_CORNERS = 10_000


def group(session: Session, plan: Plan, asked: GroupRequest) -> Group:
    """Return what is known of the states that are asked about."""
    states = _states(session, asked)
    actions = planned_actions(plan)[states]
    logged = logged_actions(session.data)[states]
    rule, precision, recall = _rule(session, states)
    return Group(
        states=len(states),
        share=len(states) / len(session.mdp),
        members=tuple(states[:MEMBERS_TOLD].tolist()),
        value=spread_of(plan.values[states[actions >= 0]]),
        actions=_actions(session, actions, logged),
        action_columns=_action_columns(session, actions, logged),
        columns=_columns(session, states),
        rule=rule,
        rule_precision=precision,
        rule_recall=recall,
    )


def _states(session: Session, asked: GroupRequest) -> Int64:
    if (asked.states is None) == (asked.polygon is None):
        raise InputError("states and polygon", "one of them", "both or none")
    if asked.polygon is not None:
        return inside(session, asked.polygon)
    given = np.unique(np.array(asked.states, dtype=np.int64))
    if len(given) and not 0 <= given[0] <= given[-1] < len(session.mdp):
        raise InputError("states", f"in 0..{len(session.mdp) - 1}", f"{given[0]}..{given[-1]}")
    return given


def inside(session: Session, polygon: Polygon) -> Int64:
    """Return the core states inside a lasso."""
    session.prepare_drawing()
    from matplotlib.path import Path

    corners = np.array(polygon.points, dtype=np.float64)
    if not 3 <= len(corners) <= MOST_CORNERS or not np.isfinite(corners).all():
        allowed = f"3 to {MOST_CORNERS:,} finite corners"
        raise InputError("polygon", allowed, f"{len(corners):,}")
    x, y = (session.axes.values(axis) for axis in (polygon.x, polygon.y))
    low, high = corners.min(axis=0), corners.max(axis=0)
    near = np.flatnonzero((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))
    found = Path(corners).contains_points(np.column_stack((x[near], y[near])))
    return near[found]


def _actions(session: Session, planned: Int64, logged: Int64) -> tuple[GroupAction, ...]:
    if session.data.action_vectors:
        return ()
    count = session.data.num_actions
    both = [np.bincount(one[one >= 0], minlength=count).tolist() for one in (planned, logged)]
    return tuple(GroupAction(a, both[0][a], both[1][a]) for a in range(count))


def _action_columns(
    session: Session, planned: Int64, logged: Int64
) -> tuple[GroupActionColumn, ...]:
    if not session.data.action_vectors:
        return ()
    columns = zip(*(numbers_of(session.data, one).T for one in (planned, logged)), strict=True)
    return tuple(
        GroupActionColumn(place, spread_of(one), spread_of(two))
        for place, (one, two) in enumerate(columns)
    )


def _columns(session: Session, states: Int64) -> tuple[GroupColumn, ...]:
    if not len(states) or not session.axes.labels:
        return ()
    means = state_columns(session, states).mean(axis=0)
    known = session.sorted_columns
    found = [
        GroupColumn(
            name=name,
            mean=float(mean),
            overall=float(column.mean()),
            difference=float((mean - column.mean()) / (column.std() or 1.0)),
        )
        for name, mean, column in zip(session.axes.labels, means, known, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: -abs(one.difference)))


def _rule(
    session: Session, states: Int64
) -> tuple[tuple[Condition, ...], float | None, float | None]:
    """Return the best description, and how well it tells the group from the others."""
    marked = np.zeros(len(session.mdp), dtype=bool)
    marked[states] = True
    everything = np.arange(len(session.mdp))
    rules = rules_of(session, everything, marked)
    if not rules:
        return (), None, None
    holds = rules[0].holds(state_columns(session, everything))
    both = int((holds & marked).sum())
    conditions = conditions_of(session, rules[0])
    return conditions, both / max(1, int(holds.sum())), both / max(1, len(states))
