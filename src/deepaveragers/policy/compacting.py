"""From a policy to its compact form, or to the sentence that says why there is none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import plain
from ..arrays import Array
from ..data.digest import digest_of
from ..data.transitions import COLUMNS
from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import not_forbidden, pose
from ..neighbors.candidates import CandidateGraph
from ..representation.own_policy import own_policy_of
from ..solvers.plan import Plan
from .candidate_rule import CandidateRule
from .compact import CompactPolicy, Manner, Origin
from .compact_rows import CompactVectorPolicy
from .lookup import Lookup, Nearest, Network
from .observing import ObservationForm
from .rules import Allowed, LookaheadRule, NearestRule, Rule, without_graph
from .sources import SourceStates
from .support import Support

if TYPE_CHECKING:
    from .policy import Fallback, Policy

ARRAYS = ("rewards", "action_mask")
"""Fields of an objective that may be arrays as long as the data."""


def compacted(
    policy: Policy,
    lookup: Lookup,
    sources: SourceStates,
    support: Support,
    fallback: Fallback | None,
) -> CompactPolicy:
    """Return what acting needs of a policy and of the parts that it made."""
    _refuse_chance(policy, fallback)
    assert fallback is None or isinstance(fallback, int)
    plan = policy.plan
    data = plan.mdp.transitions
    return CompactPolicy(
        plan.mdp.encoder,
        ObservationForm.of(data),
        _rule(plan, lookup, sources, policy.k),
        support,
        Manner(data.action_names, plan.below + plan.above, policy.support_threshold, fallback),
        _origin(policy, fallback),
    )


def compacted_rows(
    policy: Policy, rule: CandidateRule, support: Support, fallback: Any
) -> CompactVectorPolicy:
    """Return what acting needs of a policy whose actions are rows.

    Args:
        policy: to be saved.
        rule: how it decides.
        support: of observations by the data.
        fallback: [1, Da] its action, a function, or None.
    """
    _refuse_chance(policy, fallback)
    if rule.permission.mask is not None:
        raise InputError(
            "action_mask",
            "None in a policy that is saved and whose actions are rows",
            "a function",
            "Forbid actions by forbidden_actions, or save the plan.",
        )
    plan = policy.plan
    data = plan.mdp.transitions
    numbers = None if fallback is None else tuple(fallback[0].tolist())
    permitted = rule.permission.permitted
    return CompactVectorPolicy(
        plan.mdp.encoder,
        ObservationForm.of(data),
        rule,
        support,
        Manner(data.action_names, plan.below + plan.above, policy.support_threshold, numbers),
        _origin(policy, numbers, [rule.dues, *([] if permitted is None else [permitted])]),
    )


def _refuse_chance(policy: Policy, fallback: Any) -> None:
    """Raise an error where decisions are not the same every time, or not known."""
    if policy.epsilon:
        raise InputError("epsilon", "0 in a policy that is saved", policy.epsilon)
    if callable(fallback):
        raise InputError(
            "fallback", "an action by number or name in a policy that is saved", "a function"
        )


def _origin(policy: Policy, fallback: Any, more: Sequence[Array] = ()) -> Origin:
    """Return where a policy comes from; `more` are arrays that its decisions depend on, too."""
    plan, data = policy.plan, data_digest(policy.plan.mdp)
    model = model_digest(plan.mdp, data)
    asked = described(plan)
    rewards = plan.objective.rewards
    arrays = [plan.values, plan.q_values, *more]
    if policy.lookup == "network":
        own = own_policy_of(plan.mdp.encoder, plan.objective.support)
        arrays += [one for one in (own.values, own.logits) if one is not None]
    if rewards is not None and not more:
        arrays.append(pose(plan.mdp, plan.objective).rewards)
    manner = [policy.lookup, policy.k, policy.support_threshold, fallback]
    digest = digest_of(arrays, json.dumps([model, asked, manner]))
    return Origin(digest, model, data, len(plan.mdp), asked)


def _rule(plan: Plan, lookup: Lookup, sources: SourceStates, k: int) -> Rule:
    allowed = _allowed(plan, lookup)
    if isinstance(lookup, Nearest):
        q_values = plan.q_values[lookup.living]
        k = min(k, len(lookup.living))
        return NearestRule(lookup.index, q_values, k, plan.objective.weighting, allowed)
    _refuse_mask(plan.objective)
    problem = without_graph(pose(plan.mdp, plan.objective))
    for action in range(len(sources.members)):
        if sources.count(action):
            sources.index(action)  # built now, for all are needed
    return LookaheadRule(sources, problem, plan.values, k, allowed)


def _allowed(plan: Plan, lookup: Lookup) -> Allowed:
    fixed = not_forbidden(plan.mdp, plan.objective)
    if isinstance(lookup, Network):
        return Allowed(fixed, own=lookup.own)
    if not plan.objective.support:
        return Allowed(fixed)
    _refuse_mask(plan.objective)
    mdp = plan.mdp
    return Allowed(fixed, plan.objective.support, mdp.imitation.index, mdp.transitions.actions)


def _refuse_mask(objective: Objective) -> None:
    if callable(objective.action_mask):
        raise InputError(
            "action_mask",
            "None or an array in a policy that is saved and looks one step ahead or asks for "
            "support",
            "a function",
            "Save it with lookup='nearest', or forbid actions by forbidden_actions.",
        )


def described(plan: Plan) -> dict[str, Any]:
    """Return what was asked of a plan in plain values; arrays and functions only by kind."""
    words: dict[str, Any] = {}
    for field in fields(plan.objective):
        value = getattr(plan.objective, field.name)
        if callable(value):
            value = "a function"
        elif value is not None and (field.name in ARRAYS or _one_per_transition(plan, value)):
            value = "an array"
        words[field.name] = _plain(value)
    return {**words, "lower_by": plan.below, "upper_by": plan.above, "status": plan.status}


def _one_per_transition(plan: Plan, value: Any) -> bool:
    """Whether a field of the objective is as long as the data: fees of actions that are rows."""
    listed = isinstance(value, list | tuple | np.ndarray)
    return plan.mdp.transitions.action_vectors and listed and len(value) == len(plan.mdp)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(entry) for entry in value]
    return plain(value)


def data_digest(mdp: DacMdp) -> str:
    """Return the SHA-256 of a log: its columns and the names of its actions."""
    data = mdp.transitions
    columns = (data.observations, data.next_observations, *(getattr(data, c) for c in COLUMNS))
    names = json.dumps([data.action_names, data.observation_names])
    return digest_of(columns, names)


def model_digest(mdp: DacMdp, data: str) -> str:
    """Return the SHA-256 of a compiled MDP: its log's, its features and its graph."""
    graph = mdp.graph
    arrays = [mdp.source_features, mdp.core_features, graph.indices, graph.distances]
    if isinstance(graph, CandidateGraph):
        arrays += [graph.transitions, graph.gaps]
    return digest_of(arrays, data)
