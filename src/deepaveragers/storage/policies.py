"""Policies as plain settings and arrays: what acting needs, and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np

from ..arguments import choice, number, optional, whole_number
from ..arrays import Array
from ..errors import BundleError, InputError
from ..neighbors.index import NeighborIndex
from ..neighbors.stored import pack_index, unpack_index
from ..policy.candidate_rule import CandidateRule
from ..policy.compact import Agreement, CompactPolicy, Manner, Origin
from ..policy.compact_rows import CompactVectorPolicy
from ..policy.observing import ObservationForm, columns_that_may_be_missing
from ..policy.rules import NearestRule, Rule
from ..policy.support import Support
from ..representation.encoder import Encoder, as_encoder
from .checking import check_encoder
from .encoders import pack_encoder, unpack_encoder
from .prefixes import prefixed, within
from .rules import pack_rule, unpack_rule

Packed: TypeAlias = tuple[dict[str, Any], dict[str, Array]]
DTYPES = ("<f4", "<f8", "|u1", "<i4", "<i8", "|b1")
"""That observations may have."""
ENCODER_NEEDED = (
    "given when loading a policy whose representation is a plain function or object of yours"
)


def pack_policy(policy: CompactPolicy) -> Packed:
    """Return the settings and arrays of a policy."""
    form = policy.form
    encoder, encoder_arrays = pack_encoder(policy.encoder)
    rule, rule_arrays = pack_rule(policy.rule)
    own_index = _shared_index(policy.rule) is not policy.scale.index
    index, index_arrays = pack_index(policy.scale.index) if own_index else ({}, {})
    settings = {
        "form": {
            "shape": list(form.shape),
            "dtype": form.dtype.str,
            "names": None if form.names is None else list(form.names),
            "means": [form.means[column] for column in columns_that_may_be_missing(form.names)],
        },
        "encoder": encoder,
        "rule": rule,
        "support": {"k": policy.scale.k, "index": index},
        "manner": {**asdict(policy.manner), "action_names": list(policy.action_names)},
        "origin": asdict(policy.origin),
        "agreement": None if policy.agreement is None else asdict(policy.agreement),
    }
    arrays = {
        **prefixed("encoder", encoder_arrays),
        **prefixed("rule", rule_arrays),
        **prefixed("support.index", index_arrays),
        "support.reference": policy.scale.reference,
    }
    return settings, arrays


def unpack_policy(
    settings: Mapping[str, Any],
    arrays: Mapping[str, Array],
    encoder: Encoder | Callable[[Array], Any] | None,
) -> CompactPolicy:
    """Return the policy that was packed; what no policy could be is refused."""
    form = _form(settings["form"])
    manner = _manner(settings["manner"])
    actions = len(manner.action_names)
    rule, dimensions = unpack_rule(settings["rule"], within("rule", arrays), actions)
    _check_fallback(manner, rule)
    stored = unpack_encoder(settings["encoder"], within("encoder", arrays))
    if stored is None:
        if encoder is None:
            remedy = "Pass the same function or object again: load(path, encoder=function)."
            raise InputError("encoder", ENCODER_NEEDED, "None", remedy)
        stored = as_encoder(encoder, np.empty((0, *form.shape), form.dtype))
    check_encoder(stored, form.shape, dimensions)
    support, origin = _support(settings["support"], arrays, rule), Origin(**settings["origin"])
    if isinstance(rule, CandidateRule):
        return CompactVectorPolicy(stored, form, rule, support, manner, origin)
    agreement = settings["agreement"]
    return CompactPolicy(
        stored,
        form,
        rule,
        support,
        manner,
        origin,
        None if agreement is None else Agreement(**agreement),
    )


def _form(settings: Mapping[str, Any]) -> ObservationForm:
    shape = tuple(whole_number("shape", length) for length in settings["shape"])
    names = settings["names"]
    if names is not None:
        names = tuple(names)
        if shape != (len(set(names)),) or not all(isinstance(name, str) for name in names):
            raise BundleError("its columns are not named one by one.")
    means = [number("means", mean) for mean in settings["means"]]
    missing = columns_that_may_be_missing(names)
    dtype = np.dtype(choice("dtype", settings["dtype"], DTYPES))
    return ObservationForm(shape, dtype, names, dict(zip(missing, means, strict=True)))


def _manner(settings: Mapping[str, Any]) -> Manner:
    names = tuple(settings["action_names"])
    threshold, fallback = settings["support_threshold"], settings["fallback"]
    if not names or not all(isinstance(name, str) for name in names):
        raise BundleError("its actions have no names.")
    if (threshold is None) != (fallback is None):
        raise BundleError("it has a threshold without a fallback, or the other way round.")
    if isinstance(fallback, list):
        fallback = tuple(number("fallback", one) for one in fallback)
    return Manner(
        names,
        number("slack", settings["slack"], least=0.0),
        optional(number, "support_threshold", threshold, least=0.0, most=1.0),
        fallback,
    )


def _check_fallback(manner: Manner, rule: Rule) -> None:
    """Raise an error unless the fallback is an action of the kind that the rule has."""
    fallback, count = manner.fallback, len(manner.action_names)
    if fallback is None:
        return
    if isinstance(rule, CandidateRule):
        known = isinstance(fallback, tuple) and len(fallback) == count
    else:
        known = whole_number("fallback", fallback, least=0) < count
    if not known:
        raise BundleError("its fallback is none of its actions.")


def _shared_index(rule: Rule) -> NeighborIndex | None:
    """Return the index of a rule that support may be measured by, too."""
    return rule.index if isinstance(rule, NearestRule | CandidateRule) else None


def _support(settings: Mapping[str, Any], arrays: Mapping[str, Array], rule: Rule) -> Support:
    index = _shared_index(rule)
    if settings["index"]:
        index = unpack_index(settings["index"], within("support.index", arrays))
    if index is None:
        raise BundleError("it has no states to measure support by.")
    reference = arrays["support.reference"]
    if reference.ndim != 1 or not len(reference) or reference.dtype != np.float64:
        raise BundleError("its support has no distances.")
    if not np.isfinite(reference).all() or (np.diff(reference) < 0.0).any():
        raise BundleError("the distances of its support do not ascend.")
    k = whole_number("k", settings["k"])
    if k > index.size or (isinstance(rule, NearestRule) and k != rule.k):
        raise BundleError("its support is about other neighbours than it has.")
    return Support.known(index, k, reference)
