"""How policies come to Q-values, as plain settings and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from ..arguments import choice, flag, number, whole_number
from ..arrays import Array
from ..errors import BundleError, InputError
from ..neighbors.stored import StoredIndex, pack_index, unpack_index
from ..policy.candidate_rule import CandidateRule
from ..policy.rules import Allowed, LookaheadRule, NearestRule, Rule
from ..policy.sources import SourceStates
from ..representation.own_policy import OwnPolicy
from .candidate_rules import pack_candidates, unpack_candidates
from .prefixes import prefixed, within
from .problems import pack_problem, unpack_problem

Packed: TypeAlias = tuple[dict[str, Any], dict[str, Array]]


def pack_rule(rule: Rule) -> Packed:
    """Return the settings and arrays of a rule."""
    if isinstance(rule, CandidateRule):
        return pack_candidates(rule)
    if isinstance(rule, NearestRule):
        index, arrays = pack_index(rule.index)
        settings = {"kind": "nearest", "k": rule.k, "weighting": rule.weighting, "index": index}
        arrays = {**prefixed("index", arrays), "q_values": rule.q_values}
    elif isinstance(rule, LookaheadRule):
        settings, arrays = _pack_lookahead(rule)
    else:
        raise InputError("policy", "one that looks up or ahead to be saved", type(rule).__name__)
    allowed, allowed_arrays = _pack_allowed(rule.allowed)
    return {**settings, "allowed": allowed}, {**arrays, **prefixed("allowed", allowed_arrays)}


def _pack_lookahead(rule: LookaheadRule) -> Packed:
    problem = rule.problem
    indexes: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for action, members in enumerate(rule.sources.members):
        arrays[f"members.{action}"] = members
        if len(members):
            indexes[str(action)], parts = pack_index(rule.sources.index(action))
            arrays |= prefixed(f"index.{action}", parts)
    settings = {
        "kind": "lookahead",
        "k": rule.k,
        **pack_problem(problem),
        "indexes": indexes,
    }
    arrays |= {"values": rule.values, "rewards": problem.rewards, "terminal": problem.terminal}
    return settings, {**arrays, "penalties": problem.penalties}


def _pack_allowed(allowed: Allowed) -> Packed:
    settings: dict[str, Any] = {
        "fixed": allowed.fixed[0].tolist(),
        "share": allowed.share,
        "index": {},
    }
    if allowed.own is not None:
        settings["own"] = {"share": allowed.own.share, "imitates": allowed.own.logits is not None}
        arrays = {"own.values": allowed.own.values}
        return settings, arrays | (
            {} if allowed.own.logits is None else {"own.logits": allowed.own.logits}
        )
    if allowed.index is None or allowed.actions is None:
        return settings, {}
    settings["index"], arrays = pack_index(allowed.index)
    return settings, {**prefixed("index", arrays), "actions": allowed.actions}


def unpack_rule(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], actions: int
) -> tuple[Rule, int]:
    """Return the rule, and the dimensions of the features that it asks for."""
    if settings["kind"] == "candidates":
        return unpack_candidates(settings, arrays, actions)
    allowed = _unpack_allowed(settings["allowed"], within("allowed", arrays), actions)
    k = whole_number("k", settings["k"])
    if settings["kind"] == "lookahead":
        return _unpack_lookahead(settings, arrays, k, allowed)
    choice("kind", settings["kind"], ("nearest", "lookahead", "candidates"))
    weighting = choice("weighting", settings["weighting"], ("inverse", "uniform"))
    index = unpack_index(settings["index"], within("index", arrays))
    q_values = arrays["q_values"]
    if q_values.shape != (index.size, actions) or q_values.dtype != np.float64 or k > index.size:
        raise BundleError("its values do not fit its states.")
    if np.isnan(q_values).any() or (q_values == np.inf).any():
        raise BundleError("the value of an action is not a number.")
    if allowed.own is not None and allowed.own.dimensions != index.dimensions:
        raise BundleError("its network does not fit its states.")
    return NearestRule(index, q_values, k, weighting, allowed), index.dimensions


def _unpack_allowed(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], actions: int
) -> Allowed:
    fixed = np.asarray(settings["fixed"])[None]
    if fixed.shape != (1, actions) or fixed.dtype != np.bool_ or not fixed.any():
        raise BundleError("the actions that it allows are not among its actions.")
    if "own" in settings:
        return Allowed(fixed, own=_unpack_own(settings["own"], arrays, actions))
    share = number("share", settings["share"], least=0.0, most=1.0)
    if not share:
        return Allowed(fixed)
    index = unpack_index(settings["index"], within("index", arrays))
    taken = arrays["actions"]
    if taken.shape != (index.size,) or taken.dtype != np.int32:
        raise BundleError("its logged actions do not fit its states.")
    if taken.min() < 0 or taken.max() >= actions:
        raise BundleError("a logged action is none of its actions.")
    return Allowed(fixed, share, index, taken)


def _unpack_own(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], actions: int
) -> OwnPolicy:
    logits = arrays["own.logits"] if flag("imitates", settings["imitates"]) else None
    own = OwnPolicy(arrays["own.values"], logits, float(settings["share"]))
    if len(own.values) != actions:
        raise BundleError("its network has other actions.")
    return own


def _unpack_lookahead(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], k: int, allowed: Allowed
) -> tuple[Rule, int]:
    actions = allowed.fixed.shape[1]
    values, rewards, terminal = (arrays[name] for name in ("values", "rewards", "terminal"))
    members = [arrays[f"members.{action}"] for action in range(actions)]
    indexes = {
        int(action): unpack_index(one, within(f"index.{action}", arrays))
        for action, one in settings["indexes"].items()
    }
    _check_members(members, indexes, len(values))
    penalties = arrays["penalties"]
    plain = (values, rewards, penalties)
    if values.shape != rewards.shape or terminal.shape != values.shape or values.ndim != 1:
        raise BundleError("its values do not fit its transitions.")
    if any(one.dtype != np.float64 or not np.isfinite(one).all() for one in plain):
        raise BundleError("a value, a reward or a penalty is not a finite number.")
    if terminal.dtype != np.bool_ or penalties.size != actions:
        raise BundleError("its ends or penalties are not those of its transitions.")
    problem = unpack_problem(settings, rewards, terminal, penalties)
    rule = LookaheadRule(SourceStates.known(members, indexes), problem, values, k, allowed)
    return rule, next(iter(indexes.values())).dimensions


def _check_members(members: list[Array], indexes: Mapping[int, StoredIndex], size: int) -> None:
    """Raise an error unless every transition has one action, and its index."""
    taken = np.concatenate(members)
    if taken.dtype != np.int64 or not np.array_equal(np.sort(taken), np.arange(size)) or not size:
        raise BundleError("its transitions do not have one action each.")
    sizes = {action: len(rows) for action, rows in enumerate(members) if len(rows)}
    if {action: index.size for action, index in indexes.items()} != sizes:
        raise BundleError("its transitions are not those of its search trees.")
    if len({index.dimensions for index in indexes.values()}) != 1:
        raise BundleError("its search trees have other dimensions than each other.")
