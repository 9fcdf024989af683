"""Compiling a dataset into a finite MDP: encode, search, warn of what looks wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, get_args

from ..arguments import (
    choice,
    file_path,
    flag,
    instance,
    known_keywords,
    number,
    optional,
    shown,
    whole_number,
)
from ..arrays import Array, Floats, frozen
from ..data.transitions import Transitions
from ..errors import InputError
from ..neighbors.graph import NeighborGraph
from ..representation.encoder import Encoder, as_encoder
from .far_numbers import warn_of_far_numbers
from .jumps import warn_of_jumps
from .model import DacMdp
from .repeats import warn_of_chance

if TYPE_CHECKING:
    from ..neighbors.candidates import Landing
    from ..neighbors.search import Engine

CANDIDATES = 20
"""Candidates of a state where actions are rows: 20 did better than 10 on the development seeds of
Pendulum and LunarLanderContinuous; 10 take half the time and memory."""


@known_keywords
def compile(
    data: Transitions,
    k: int = 5,
    encoder: Encoder | Callable[[Array], Any] | None = None,
    *,
    candidates: int | None = None,
    landing: Landing | None = None,
    neighbors: Engine = "auto",
    time_budget: float | None = None,
    allow_approximate: bool = False,
    threads: int | None = None,
    resume_dir: str | os.PathLike[str] | None = None,
    show_progress: bool | None = None,
    cluster: str | None = None,
    work_dir: str | os.PathLike[str] | None = None,
) -> DacMdp:
    """Compile a dataset into a finite MDP by k nearest neighbours.

    Args:
        data: the transitions.
        k: neighbours kept per state and action; a plan may use fewer, never more.
        encoder: an `Encoder`, a function from a batch to [B, D], a torch module, a scikit-learn
            transformer; None standardises vector observations.
        candidates: where actions are rows, the logged transitions nearest to a state among whose
            actions it may choose; None: 20. See `neighbors.candidates`.
        landing: where actions are rows, "change": a candidate leads to where its change leads
            from here (the default); "own": to where it led itself, which takes less time.
        neighbors: "auto", or the name of an engine.
        time_budget: seconds that the search may take; None is no limit.
        allow_approximate: whether "auto" may take an approximate engine to keep the budget.
        threads: None takes all cores; the result is the same for any number.
        resume_dir: where finished blocks are kept, so that a killed compile can continue.
        show_progress: force the bar on or off; None shows it on a terminal.
        cluster: encode and search on Ray: "auto" (the cluster that is running, or else one that
            is started here), or an address, "host:port". The graph is the same.
        work_dir: for that, a folder that all nodes see; a killed compile continues from there.
    """
    from ..neighbors.candidates import build_candidates
    from ..neighbors.features import Features

    instance("data", data, Transitions, "Transitions")
    k = _neighbors_asked(data, k)
    m, lands = _candidates_asked(data, candidates, landing)  # All is checked before encoding.
    search, options = _search_asked(
        data, cluster, work_dir,
        neighbors, time_budget, allow_approximate, threads, resume_dir, show_progress,
    )  # fmt: skip
    fitted = as_encoder(encoder, data.observations).fit(data.observations)
    graph: NeighborGraph
    with _one_session(options):
        source, core = _encoded(fitted, data, options)
        # Checked before the warnings, which would speak of features that are refused.
        features = Features(source, core)
        warn_of_far_numbers(data, fitted, source, core, stacklevel=4)
        if data.action_vectors:
            graph = build_candidates(features, data.terminations, m, k, lands, **options)
        else:
            graph = search(features, data.actions, data.num_actions, k, **options)
    _warn(data, source, core, graph)
    return DacMdp(data, fitted, frozen(source), frozen(core), graph)


def _warn(data: Transitions, source: Floats, core: Floats, graph: NeighborGraph) -> None:
    """Say what a plan on this graph should not lean on."""
    warn_of_jumps(graph, source, core, data.terminations, stacklevel=5)
    if not data.action_vectors:
        warn_of_chance(graph, core, data.rewards, data.terminations, stacklevel=5)


def _search_asked(
    data: Transitions, cluster: object, work_dir: object,
    neighbors: object, time_budget: object, approximate: object, threads: object,
    resume_dir: object, show_progress: object,
) -> tuple[Callable[..., NeighborGraph], dict[str, Any]]:  # fmt: skip
    """Return the search that was asked for, here or on a cluster, and its options, checked."""
    from ..neighbors.search import Engine, build_graph

    options = {
        "engine": choice("neighbors", neighbors, get_args(Engine)),
        "time_budget": optional(number, "time_budget", time_budget, above=0.0, unlimited=True),
        "allow_approximate": flag("allow_approximate", approximate),
        "threads": optional(whole_number, "threads", threads),
        "resume_dir": optional(file_path, "resume_dir", resume_dir),
        "show_progress": optional(flag, "show_progress", show_progress),
    }
    if cluster is None and work_dir is None:
        return build_graph, options
    from ..neighbors.sharded import build_graph_on_cluster, cluster_options

    if data.action_vectors:
        raise InputError("cluster", "None where actions are rows", shown(cluster))
    return build_graph_on_cluster, cluster_options(cluster, work_dir, options)


def _one_session(options: dict[str, Any]) -> AbstractContextManager[Any]:
    """Return one connection to a cluster for all that is done there; nothing without one."""
    if "cluster" not in options:
        return nullcontext()
    from ..cluster.session import connected

    return connected(options["cluster"])


def _encoded(fitted: Encoder, data: Transitions, options: dict[str, Any]) -> Sequence[Floats]:
    """Return the features of s and of s', encoded by nodes where there are any and they can."""
    columns = data.observations, data.next_observations
    if "cluster" in options:
        from ..representation.on_cluster import encode_on_cluster, encodes_on_nodes

        if encodes_on_nodes(fitted):
            return encode_on_cluster(fitted, columns, **options)  # type: ignore[arg-type]
    return [fitted.encode(one) for one in columns]


def _neighbors_asked(data: Transitions, k: Any) -> int:
    k = whole_number("k", k)
    if k > len(data):
        raise InputError("k", f"at most the number of transitions, {len(data)}", k)
    return int(k)


def _candidates_asked(data: Transitions, candidates: Any, landing: Any) -> tuple[int, Landing]:
    """Return how many candidates a state has, and where they lead; refuse both if discrete."""
    from ..neighbors.candidates import Landing

    candidates = optional(whole_number, "candidates", candidates)
    landing = optional(choice, "landing", landing, allowed=get_args(Landing))
    for name, given in (("candidates", candidates), ("landing", landing)):
        if given is not None and not data.action_vectors:
            raise InputError(name, "None for discrete actions", shown(given))
    return candidates or CANDIDATES, landing or "change"
