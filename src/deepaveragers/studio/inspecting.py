"""One state: the plan's values there, comparable cases, and how like the data it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, Bool, Float64
from ..data.transitions import Transitions
from ..errors import InputError
from ..kernels.bellman import reference
from ..mdp.logged_returns import known_returns, logged_returns
from ..policy.case import Case, moment
from ..policy.decision import Decision
from ..policy.policy import Policy
from ..policy.vector_policy import VectorPolicy
from ..solvers.plan import Plan
from .candidate_values import candidate_values
from .columns import in_words
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
    earned, known = (
        logged_returns(plan.mdp, plan.objective),
        known_returns(plan.mdp, plan.objective),
    )
    actions = () if ended else _actions(session, policy, q_values, state, observation)
    return Inspected(
        observation=_seen(session, decision),
        state=state,
        episode=None if state is None else data.episode_name(state),
        time=seen,
        after=None if state is None or data.times is None or seen else moment(data.times[state]),
        ended=ended,
        value=value,
        below=plan.below,
        above=plan.above,
        actions=actions,
        support=_support(policy, decision),
        cases=tuple(
            _case(session, plan, None if ended else state, case, earned, known)
            for case in _cases(decision)
        ),
        basis=decision.basis,
        picture=session.picture(state),
    )


def _cases(decision: Decision) -> tuple[Case, ...]:
    """Return the cases of the best action and of the next best, each once."""
    known = {case.transition: case for case in (*decision.cases, *decision.alternative_cases)}
    return tuple(known.values())


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
    session: Session, policy: Policy, q_values: Float64, state: int | None, observation: Array
) -> tuple[ActionValue, ...]:
    if isinstance(policy, VectorPolicy):
        return candidate_values(policy, state, observation)
    data, plan = session.data, policy.plan
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
            below=plan.below,
            above=plan.above,
            available=bool(there[action]),
            reason="" if there[action] else _reason(session, plan, state, action),
            cases=counts[action],
            distance=None,
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
    share = f"{100 * decision.support:.0f} % of logged states lie at least as far from the others"
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


def _case(
    session: Session, plan: Plan, state: int | None, case: Case, earned: Float64, known: Bool
) -> CaseSeen:
    return CaseSeen(
        state=case.transition,
        own=state is not None and case.transition == state + 1 and case.distance == 0.0,
        episode=case.episode,
        step=case.step,
        time=case.time,
        done=done(session.data, case.transition),
        reward=case.reward,
        distance=case.distance,
        weight=None if state is None else weight_of(plan, state, case.transition),
        return_after=float(earned[case.transition]),
        return_known=bool(known[case.transition]),
        ended=case.ending,
        last_reward=float(session.data.rewards[case.transition + case.steps_after]),
        values={column.name: column.value for column in case.columns},
        picture=session.picture(case.transition, before=True),
    )


def done(data: Transitions, transition: int) -> str:
    """Return what a transition did, in words."""
    return in_words(data, transition if data.action_vectors else int(data.actions[transition]))


def weight_of(plan: Plan, state: int, transition: int) -> float | None:
    """Return the weight of a transition in the plan's average of its action; None without any.

    Where actions are rows, candidates are not averaged.
    """
    mdp, asked = plan.mdp, plan.objective
    if mdp.transitions.action_vectors:
        return None
    action = int(mdp.transitions.actions[transition])
    at = slice(state, state + 1), slice(action, action + 1), slice(asked.k or mdp.graph.k)
    indices = mdp.graph.indices[at]
    shares = reference.weights_of(indices, mdp.graph.distances[at], asked.weighting == "uniform")
    found = np.flatnonzero(indices[0, 0] == transition)
    return float(shares[0, 0, found[0]]) if len(found) else None
