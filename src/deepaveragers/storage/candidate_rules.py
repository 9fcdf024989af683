"""How policies whose actions are rows come to Q-values, as plain settings and arrays.

The features of states are those of their indexes, so they are stored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, get_args

import numpy as np

from ..arguments import choice, number, whole_number
from ..arrays import Array, Bool
from ..errors import BundleError
from ..mdp.action_noise import ActionNoise
from ..mdp.permission import Permission
from ..neighbors.candidates import CandidateSearch, Landing
from ..neighbors.features import Features
from ..neighbors.stored import StoredIndex, pack_index, rows_of, unpack_index
from ..policy.candidate_rule import CandidateRule
from .prefixes import prefixed, within
from .problems import pack_problem, unpack_problem

Packed: TypeAlias = tuple[dict[str, Any], dict[str, Array]]
INDEXES = ("sources", "living", "permitted")
MOST = 100_000
"""Candidates of a state, or states that one leads to: more are a mistake."""


def pack_candidates(rule: CandidateRule) -> Packed:
    """Return the settings and arrays of a rule."""
    search, permission = rule.search, rule.permission
    among = None if rule.permitted is None else rule.permitted.sources
    given = search.sources, rule.index, among
    settings: dict[str, Any] = {
        "kind": "candidates",
        "m": search.m,
        "landing": search.landing,
        "outcomes": search.k,
        "k": rule.problem.k,
        **pack_problem(rule.problem),
        "share": permission.share,
        "deviations": permission.deviations.tolist(),
        "noise": {} if rule.noise is None else _noise_settings(rule.noise),
    }
    arrays = {
        "actions": permission.actions,
        "dues": rule.dues,
        "values": rule.values,
        "terminal": search.ended,
    }
    if permission.permitted is not None:
        arrays["permitted"] = permission.permitted
    for name, index in zip(INDEXES, given, strict=True):
        settings[name], parts = ({}, {}) if index is None else pack_index(index)
        arrays |= prefixed(name, parts)
    return settings, arrays


def unpack_candidates(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], columns: int
) -> tuple[CandidateRule, int]:
    """Return the rule, and the dimensions of the features that it asks for.

    Args:
        settings: of the rule.
        arrays: of the rule.
        columns: of an action.
    """
    sources, living, among = (_index(settings, arrays, name) for name in INDEXES)
    if sources is None:
        raise BundleError("it has no logged states.")
    size, ended = sources.size, arrays["terminal"]
    dues, values = _numbers(arrays, "dues", size), _numbers(arrays, "values", size)
    if ended.shape != (size,) or ended.dtype != np.bool_:
        raise BundleError("its ends are not those of its transitions.")
    permission = _permission(settings, arrays, size, columns)
    landing = choice("landing", settings["landing"], get_args(Landing))
    search = CandidateSearch(
        _features(sources, living, ended, landing),
        ended,
        _count(settings, "m"),
        _count(settings, "outcomes"),
        landing,
        known_sources=sources,
        known_living=living,
    )
    problem = unpack_problem(settings, np.zeros(size), ended, np.zeros((1, 1)))
    if not problem.k <= search.k:
        raise BundleError("it averages more states than it finds.")
    permitted = permission.permitted
    if (permitted is None) != (among is None) or (
        among is not None and permitted is not None and among.size != int(permitted.sum())
    ):
        raise BundleError("its permitted actions are not those of its search tree.")
    rows = None if permitted is None else search.among(np.flatnonzero(permitted), among)
    noise = _noise(settings.get("noise") or {}, columns)
    rule = CandidateRule(search, rows, permission, dues, problem, values, noise)
    return rule, sources.dimensions


def _noise_settings(noise: ActionNoise) -> dict[str, Any]:
    return {"deviation": noise.deviation, "ranges": noise.ranges.tolist()}


def _noise(settings: Mapping[str, Any], columns: int) -> ActionNoise | None:
    if not settings:
        return None
    ranges = [number("ranges", one, above=0.0) for one in settings["ranges"]]
    if len(ranges) != columns:
        raise BundleError("its noise is of other columns than its actions.")
    return ActionNoise(number("deviation", settings["deviation"], above=0.0), np.array(ranges))


def _count(settings: Mapping[str, Any], name: str) -> int:
    found = whole_number(name, settings[name])
    if found > MOST:
        raise BundleError("it asks for more candidates than there can be.")
    return found


def _index(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], name: str
) -> StoredIndex | None:
    return unpack_index(settings[name], within(name, arrays)) if settings[name] else None


def _numbers(arrays: Mapping[str, Array], name: str, size: int) -> Array:
    found = arrays[name]
    if found.shape != (size,) or found.dtype != np.float64 or not np.isfinite(found).all():
        raise BundleError(f"its {name} are not one finite number for each transition.")
    return found


def _permission(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], size: int, columns: int
) -> Permission:
    actions, permitted = arrays["actions"], arrays.get("permitted")
    if actions.shape != (size, columns) or actions.dtype.str not in ("<f4", "<f8", "<i4"):
        raise BundleError("its actions are not rows of as many numbers as they have names.")
    if actions.dtype.kind == "f" and not np.isfinite(actions).all():
        raise BundleError("an action is not a row of finite numbers.")
    if permitted is not None and (
        permitted.shape != (size,) or permitted.dtype != np.bool_ or not permitted.any()
    ):
        raise BundleError("the actions that it permits are not among its actions.")
    deviations = [number("deviations", one, above=0.0) for one in settings["deviations"]]
    if len(deviations) != columns:
        raise BundleError("its actions have other columns than their units.")
    share = number("share", settings["share"], least=0.0, most=1.0)
    return Permission(actions, np.array(deviations), permitted, share)


def _features(
    sources: StoredIndex, living: StoredIndex | None, ended: Bool, landing: Landing
) -> Features:
    """Return the features of logged states; of core states, those that candidates may lead to."""
    starts, going = rows_of(sources), ~ended
    if landing == "own" or not going.any():
        return Features(starts, starts)  # no candidate is led to a core state
    if living is None or living.size != int(going.sum()) or living.dimensions != starts.shape[1]:
        raise BundleError("the states that it leads to are not those that go on.")
    core = np.zeros_like(starts)
    core[going] = rows_of(living)
    return Features(starts, core)
