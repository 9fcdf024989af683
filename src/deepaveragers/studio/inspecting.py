"""One state: the plan's values there, comparable cases, and how like the data it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, Float64
from ..errors import InputError
from ..kernels.bellman import reference
from ..mdp.problem import pose
from ..policy.case import Case, moment
from ..policy.decision import Decision
from ..policy.policy import Policy
from ..solvers.plan import Plan
from .inspection_messages import (
    ActionValue,
    CaseSeen,
    Inspected,
    InspectRequest,
    Level,
    Observation,
    Seen,
    SupportWords,
)
from .session import Session

CASES = 5
"""Comparable cases of the best action, and of the next best."""
THIN = 0.1
"""States with less support than this are said to be thinly supported."""


def inspect(session: Session, plan: Plan, asked: InspectRequest) -> Inspected:
    """Return what the plan does in a state, and why."""
    state, data = asked.state, session.data
    observation = observed(session, state, asked.observation)
    policy = session.policy(plan)
    decision = policy.explain(observation, CASES)
    if decision.observation is not None:
        observation = np.array(list(decision.observation.values()))
    ended = state is not None and bool(data.terminations[state])
    seen = _time_of(session, state)
    q_values = np.array(list(decision.q_values.values()))
    if state is not None and not ended:
        q_values = plan.q_values[state]
    value = float(q_values.max()) if state is None else float(plan.values[state])
    return Inspected(
        observation=_seen(session, decision),
        state=state,
        episode=None if state is None else data.episode_name(state),
        time=seen,
        after=None if state is None or data.times is None or seen else moment(data.times[state]),
        ended=ended,
        value=value,
        error=plan.error,
        actions=() if ended else _actions(session, plan, q_values, state, observation),
        support=_support(policy, decision),
        cases=tuple(
            _case(session, plan, None if ended else state, case)
            for case in (*decision.cases, *decision.alternative_cases)
        ),
        basis=decision.basis,
        picture=session.picture(state),
    )


def _time_of(session: Session, state: int | None) -> str | None:
    """Return when a core state was seen, which the next row of its episode says."""
    data = session.data
    if state is None or data.times is None or state + 1 == len(data):
        return None
    goes_on = not (data.terminations[state] or data.truncations[state])
    same = data.episode_ids[state] == data.episode_ids[state + 1]
    return moment(data.times[state + 1]) if goes_on and same else None


def observed(session: Session, state: int | None, typed: Observation | None) -> Any:
    """Return the observation that is asked about: a core state's, or one that was typed in."""
    if (state is None) == (typed is None):
        raise InputError("state and observation", "one of them", "both or none")
    if state is not None:
        return session.observation(state)
    return list(typed) if isinstance(typed, tuple) else typed


def _seen(session: Session, decision: Decision) -> tuple[Seen, ...]:
    if decision.observation is None:
        return ()
    shown = zip(session.axes.labels, session.axes.units, strict=True)
    sorted_columns = session.sorted_columns
    return tuple(
        Seen(name, value, float(np.searchsorted(known, value, "right") / len(known)), unit)
        for (name, unit), value, known in zip(
            shown, decision.observation.values(), sorted_columns, strict=False
        )
    )


def _actions(
    session: Session, plan: Plan, q_values: Float64, state: int | None, observation: Array
) -> tuple[ActionValue, ...]:
    data = session.data
    features = session.mdp.encoder.encode(np.asarray(observation)[None])
    counts = session.mdp.imitation.counts(features)[0].tolist()
    best = int(q_values.argmax())
    tied = q_values[best] - q_values <= plan.below + plan.above
    there = np.isfinite(q_values)
    return tuple(
        ActionValue(
            index=action,
            name=name,
            q=float(q_values[action]) if there[action] else None,
            error=plan.error,
            available=bool(there[action]),
            reason="" if there[action] else _reason(session, plan, state, action),
            cases=counts[action],
            best=action == best,
            tie=action != best and bool(there[action] and tied[action]),
        )
        for action, name in enumerate(data.action_names)
    )


def _reason(session: Session, plan: Plan, state: int | None, action: int) -> str:
    """Say why an action is not available."""
    objective, names = plan.objective, session.data.action_names
    if action in objective.forbidden_actions or names[action] in objective.forbidden_actions:
        return "forbidden by the question"
    if not (session.data.actions == action).any():
        return "the data have no case of it"
    if state is not None and objective.support:
        return "the data hardly ever do it hereabouts"
    return "not possible in states like this"


def _support(policy: Policy, decision: Decision) -> SupportWords:
    distance = float(np.mean([one.distance for one in decision.evidence]))
    share = f"{decision.support:.0%} of the data's own states are as far from the others"
    level: Level = "well"
    words = f"Like the data: {share}."
    if decision.support < THIN:
        level, words = "thin", f"At the edge of the data: only {share}."
    if decision.unlike:
        level, words = "none", "Unlike anything in the data."
    return SupportWords(
        level=level,
        words=words,
        score=decision.support,
        distance=distance,
        typical_distance=policy.typical_distance,
        similar=policy.plan.mdp.imitation.cases,
    )


def _case(session: Session, plan: Plan, state: int | None, case: Case) -> CaseSeen:
    data = session.data
    action = data.action_names.index(case.action)
    return CaseSeen(
        state=case.transition,
        own=state is not None and case.transition == state + 1 and case.distance == 0.0,
        episode=case.episode,
        step=case.step,
        time=case.time,
        action=action,
        reward=case.reward,
        distance=case.distance,
        weight=None if state is None else weight_of(plan, state, action, case.transition),
        return_after=case.earned,
        ended=case.ending,
        values={column.name: column.value for column in case.columns},
        picture=session.picture(case.transition, before=True),
    )


def weight_of(plan: Plan, state: int, action: int, transition: int) -> float | None:
    """Return the weight of a transition in the plan's average; None where it has none."""
    model = pose(plan.mdp, plan.objective)
    rows = slice(state, state + 1)
    here = model._replace(
        indices=model.indices[rows, action : action + 1],
        distances=model.distances[rows, action : action + 1],
    )
    found = np.flatnonzero(here.indices[0, 0, : model.k] == transition)
    return float(reference.weights(here)[0, 0, found[0]]) if len(found) else None
