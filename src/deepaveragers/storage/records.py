"""Saving and loading the records: Transitions, DacMdp, Plan, policies.

A plan's bundle holds its model and a model's holds its transitions, so each stands alone; what
they have in common is on the disk once (`sharing`).
What is read is checked as anything that comes in at a door: a bundle with a right checksum
and wrong contents is refused too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from ..arguments import file_path, flag, known_keywords, optional, whole_number
from ..arrays import Array, frozen
from ..data.packing import pack_transitions, unpack_transitions
from ..data.transitions import Transitions
from ..errors import BundleError, InputError
from ..mdp.model import DacMdp
from ..policy.compact import CompactPolicy
from ..policy.policy import Policy, policy_of
from ..representation.encoder import Encoder, as_encoder
from ..solvers.plan import Plan
from .bundle import Contents, Verify, read_bundle, write_bundle
from .candidates import pack_graph, unpack_graph
from .checking import (
    PLAN_NUMBERS,
    check_encoder,
    check_graph,
    check_plan,
    checked_numbers,
    checked_report,
)
from .encoders import pack_encoder, unpack_encoder
from .objectives import pack_objective, unpack_objective
from .policies import pack_policy, unpack_policy
from .prefixes import prefixed, within

Record: TypeAlias = Transitions | DacMdp | Plan | Policy | CompactPolicy
Arrays: TypeAlias = dict[str, Array]

POLICIES = Policy, CompactPolicy
KINDS: dict[type[Any], str] = {
    Transitions: "transitions",
    DacMdp: "model",
    Plan: "plan",
    Policy: "policy",
    CompactPolicy: "policy",
}
WORDS: dict[type[Any], str] = {
    Transitions: "transitions",
    DacMdp: "a model",
    Plan: "a plan",
    Policy: "a policy",
    CompactPolicy: "a policy",
}


@known_keywords
def save(
    thing: Record,
    path: str | os.PathLike[str],
    *,
    evidence: bool = False,
    part_rows: int | None = None,
) -> Path:
    """Save transitions, a compiled MDP, a plan or a policy as a bundle, and return its path.

    An older bundle of the same kind at the path is replaced in one step; anything else there
    is refused.

    Args:
        thing: to save.
        path: the bundle's directory.
        evidence: whether a policy takes the plan and the log along, so that it can explain;
            otherwise it is saved with what acting needs, and no more.
        part_rows: rows per file, for arrays with more rows than that; rounded up to a multiple
            of 4,096, and so that an array has at most 1,000 files. None keeps what the
            replaced or loaded bundle has.
    """
    part_rows = optional(whole_number, "part_rows", part_rows)
    directory = file_path("path", path)
    kind = kind_of(thing)
    if flag("evidence", evidence) and not isinstance(thing, Policy):
        raise InputError("evidence", "False but for a policy of a plan", "True")
    pack: dict[str, Callable[[Any], tuple[dict[str, Any], Arrays]]] = {
        "transitions": pack_transitions,
        "model": _pack_model,
        "plan": _pack_plan,
        "policy": _pack_whole_policy if evidence else _pack_acting,
    }
    return write_bundle(Contents(kind, *pack[kind](thing), part_rows), directory)


def kind_of(thing: Record) -> str:
    """Return the kind of bundle that holds a record."""
    for record, kind in KINDS.items():
        if isinstance(thing, record):
            return kind
    raise InputError(
        "thing", "Transitions, a DacMdp, a Plan or the policy of a plan", type(thing).__name__
    )


def load(
    path: str | os.PathLike[str],
    *,
    encoder: Encoder | Callable[[Array], Any] | None = None,
    verify: Verify = "full",
) -> Record:
    """Load what `save` wrote.

    Args:
        path: the bundle's directory.
        encoder: the fitted representation, needed only where the model was compiled with a
            function, a torch module or a transformer, which cannot be stored.
        verify: "full" compares every array with its checksum; "quick" only sizes and types.
    """
    path = file_path("path", path)
    contents = read_bundle(path, verify=verify)
    try:
        if contents.kind == "transitions":
            return unpack_transitions(contents.settings, contents.arrays)
        if contents.kind == "model":
            return _unpack_model(contents.settings, contents.arrays, encoder)
        if contents.kind == "plan":
            return _unpack_plan(contents.settings, contents.arrays, encoder)
        if contents.kind == "policy":
            return _unpack_policy(contents.settings, contents.arrays, encoder)
    except BundleError as error:
        raise BundleError(f"{path} is damaged: {error}") from error
    except InputError as error:
        if error.parameter == "encoder":
            raise
        raise BundleError(f"{path} is damaged: {error}") from error
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise BundleError(f"{path} is damaged: a part is missing or wrong ({error}).") from error
    raise BundleError(f"{path} holds a {contents.kind!r}, which this version does not know.")


def load_as(
    kind: type[Any] | tuple[type[Any], ...], path: str | os.PathLike[str], **options: Any
) -> Any:
    """Load a bundle and insist on its kind."""
    thing = load(path, **options)
    if not isinstance(thing, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(dict.fromkeys(WORDS[one] for one in kinds))
        found = next(record for record in WORDS if isinstance(thing, record))
        came = f"{path}, a bundle with {WORDS[found]}"
        raise InputError("path", f"a bundle with {wanted}", came, _way(found, kinds))
    return thing


def _way(given: type[Record], wanted: tuple[type[Any], ...]) -> str:
    """Say how one comes from the bundle that was given to one that is wanted."""
    if given is Transitions:
        then = (
            "." if DacMdp in wanted else ", and `dac solve` a plan of that; `dac fit` chooses one."
        )
        return f"`dac compile` makes a model of it{then}"
    if given is DacMdp and Plan in wanted:
        return "`dac solve` makes a plan of it."
    if given is Plan and Policy in wanted:
        return "`dac policy` makes a policy of it."
    if given in POLICIES:
        kept = "; `dac policy --with-evidence` keeps that" if Policy in wanted else ""
        return f"Give what the policy was made of{kept}."
    inside = "transitions" if given is DacMdp else "mdp.transitions"
    return f"Give the transitions that it was made of; in Python, da.load(path).{inside}."


def _pack_model(mdp: DacMdp) -> tuple[dict[str, Any], Arrays]:
    data_settings, data_arrays = pack_transitions(mdp.transitions)
    encoder_settings, encoder_arrays = pack_encoder(mdp.encoder)
    graph_settings, graph_arrays = pack_graph(mdp.graph)
    settings = {
        "transitions": data_settings,
        "encoder": encoder_settings,
        "search": asdict(mdp.graph.report),
        **graph_settings,
    }
    arrays = {
        **prefixed("transitions", data_arrays),
        **prefixed("encoder", encoder_arrays),
        "source_features": mdp.source_features,
        "core_features": mdp.core_features,
        **graph_arrays,
    }
    return settings, arrays


def _unpack_model(
    settings: Mapping[str, Any],
    arrays: Mapping[str, Array],
    encoder: Encoder | Callable[[Array], Any] | None,
) -> DacMdp:
    data = unpack_transitions(settings["transitions"], within("transitions", arrays))
    stored = unpack_encoder(settings["encoder"], within("encoder", arrays))
    if stored is None:
        if encoder is None:
            raise InputError(
                "encoder",
                "given when loading a model compiled with a plain function or object of yours",
                "None",
                "Pass the same function or object again: load(path, encoder=function).",
            )
        stored = as_encoder(encoder, data.observations)
    report = checked_report(settings["search"])
    graph = unpack_graph(settings, arrays, report)
    sources, cores = arrays["source_features"], arrays["core_features"]
    check_graph(graph, data, sources, cores)
    check_encoder(stored, data.observation_shape, sources.shape[1])
    return DacMdp(data, stored, frozen(sources), frozen(cores), graph)


def _pack_plan(plan: Plan) -> tuple[dict[str, Any], Arrays]:
    model_settings, model_arrays = _pack_model(plan.mdp)
    objective_settings, objective_arrays = pack_objective(plan.objective)
    settings = {
        "model": model_settings,
        "objective": objective_settings,
        **{name: getattr(plan, name) for name in PLAN_NUMBERS},
        "k_pi": plan.k_pi,
        "lookup": plan.lookup,
    }
    arrays = {
        **prefixed("model", model_arrays),
        **prefixed("objective", objective_arrays),
        "values": plan.values,
        "q_values": plan.q_values,
    }
    return settings, arrays


def _unpack_plan(
    settings: Mapping[str, Any],
    arrays: Mapping[str, Array],
    encoder: Encoder | Callable[[Array], Any] | None,
) -> Plan:
    mdp = _unpack_model(settings["model"], within("model", arrays), encoder)
    plan = Plan(
        mdp=mdp,
        objective=unpack_objective(settings["objective"], within("objective", arrays)),
        values=arrays["values"],
        q_values=arrays["q_values"],
        **checked_numbers(settings),
    )
    check_plan(plan)
    return plan


def _pack_acting(policy: Policy | CompactPolicy) -> tuple[dict[str, Any], Arrays]:
    return pack_policy(policy.compact() if isinstance(policy, Policy) else policy)


def _pack_whole_policy(policy: Policy) -> tuple[dict[str, Any], Arrays]:
    policy.compact()  # refuses what cannot be saved
    settings, arrays = _pack_plan(policy.plan)
    return {"plan": settings, "manner": policy.settings()}, prefixed("plan", arrays)


def _unpack_policy(
    settings: Mapping[str, Any],
    arrays: Mapping[str, Array],
    encoder: Encoder | Callable[[Array], Any] | None,
) -> Policy | CompactPolicy:
    if "plan" not in settings:
        return unpack_policy(settings, arrays, encoder)
    plan = _unpack_plan(settings["plan"], within("plan", arrays), encoder)
    return policy_of(plan, **settings["manner"])
