"""The compiled MDP: the record that everything meets at."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from ..arguments import (
    check_known,
    choice,
    file_path,
    flag,
    instance,
    known_keywords,
    number,
    optional,
    shown,
    whole_number,
    with_keywords,
)
from ..arrays import Array, Floats, frozen
from ..data.transitions import Transitions
from ..errors import InputError
from ..neighbors.graph import NeighborGraph
from ..representation.encoder import Encoder, as_encoder
from .far_numbers import warn_of_far_numbers
from .jumps import warn_of_jumps
from .objective import Objective, ObjectiveFields
from .prepared import Prepared

if TYPE_CHECKING:
    from ..neighbors.candidates import Landing
    from ..neighbors.search import Engine
    from ..solvers.plan import Plan
    from ..solvers.planner import Device, Method
    from .imitation import Imitation


CANDIDATES = 20
"""Candidates of a state where actions are rows: 20 did better than 10 on the development seeds of
Pendulum and LunarLanderContinuous; 10 take half the time and memory."""


@dataclass(frozen=True, eq=False)
class DacMdp:
    """A dataset compiled into a finite MDP: one core state per transition.

    Core state i is s'_i. Its actions lead to the core states of the transitions that
    started nearest to it; `graph` holds which, and how far away they were. Rewards,
    discount, cost and all else are asked at solve time (`Objective`).

    Attributes:
        transitions: the dataset.
        encoder: the fitted representation.
        source_features: [N, D] float, representation of the observations.
        core_features: [N, D] float, representation of the next observations.
        graph: the neighbours of every core state and action.
        prepared: what the first plan makes of the graph for the next ones.
    """

    transitions: Transitions
    encoder: Encoder
    source_features: Floats
    core_features: Floats
    graph: NeighborGraph
    prepared: Prepared = field(default_factory=Prepared, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.transitions)

    @cached_property
    def spread(self) -> float:
        """Root mean squared distance of the logged states from their mean."""
        from .cost import spread_of

        return spread_of(self.source_features)

    @cached_property
    def step_length(self) -> float:
        """Median distance from where a logged transition started to where it led."""
        from .cost import median_step

        return median_step(self.source_features, self.core_features)

    @cached_property
    def imitation(self) -> Imitation:
        """What the data do in states like any given one; nothing is searched before it is used."""
        from .imitation import Imitation

        data, alike = self.transitions, np.zeros(len(self), np.int32)
        taken = (alike, 1) if data.action_vectors else (data.actions, data.num_actions)
        return Imitation(self.source_features, self.core_features, *taken)

    def __repr__(self) -> str:
        return (
            f"DacMdp({len(self):,} core states, {self.choices_in_words}, "
            f"k={self.graph.k}, searched by {self.graph.report.engine})"
        )

    @property
    def choices_in_words(self) -> str:
        """How many actions or candidates a state has, in words."""
        words = "candidates" if self.transitions.action_vectors else "actions"
        return f"{self.graph.indices.shape[1]} {words}"

    def release(self) -> None:
        """Free what plans prepared, which may be larger than the graph; the next makes it again."""
        self.prepared.release()

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        width = int(self.graph.indices.shape[1])
        return {
            "core_states": len(self),
            "k": self.graph.k,
            **({"candidates": width} if self.transitions.action_vectors else {}),
            "dimensions": int(self.core_features.shape[1]),
            "encoder": type(self.encoder).__name__,
            "search": asdict(self.graph.report),
        }

    def solve(
        self,
        objective: Objective | None = None,
        *,
        tolerance: float = 1e-3,
        method: Method = "auto",
        start: Plan | None = None,
        time_budget: float | None = None,
        max_sweeps: int | None = None,
        threads: int | None = None,
        device: Device = "cpu",
        callback: Callable[[Any], object] | None = None,
        cluster: str | None = None,
        work_dir: str | os.PathLike[str] | None = None,
        blocks: int | None = None,
        **asked: Unpack[ObjectiveFields],
    ) -> Plan:
        """Return a plan whose values are certified to the tolerance.

        Args:
            objective: what is asked; or give its fields as keywords: `solve(gamma=0.95)`.
            tolerance: largest error allowed, relative to |T 0| / (1 - gamma), where |T 0| is
                the largest absolute value of one step, costs included.
            method: "policy_iteration" (what "auto" takes) or "value_iteration".
            start: a plan whose policy is tried first.
            time_budget: seconds after which the bounds reached so far are returned.
            max_sweeps: sweeps after which the bounds reached so far are returned.
            threads: None takes all cores, up to 4.
            device: "cpu", "cuda" or "auto".
            callback: called after every sweep; a true result stops the planner.
            cluster: "auto" or the address of a Ray cluster, which plans in blocks where the MDP
                does not fit this machine's memory.
            work_dir: for that, a folder that all nodes see; a killed plan goes on from there.
            blocks: with a cluster, the number of blocks, even if the plan fits this machine.
            asked: fields of `Objective`; `help(deepaveragers.Objective)` says what each means.
        """
        from ..solvers.planner import OPTIONS, solve
        from .problem import with_cost

        check_known("options", asked, OPTIONS | Objective.field_names() | {"objective"})
        if objective is not None and asked:
            raise InputError(
                "objective",
                "an Objective or its fields as keywords, not both",
                f"both, with {', '.join(sorted(asked))}",
            )
        question = Objective(**asked) if objective is None else objective
        return solve(
            self._restricted(question),
            with_cost(self, question),
            tolerance=tolerance,
            method=method,
            start=start,
            time_budget=time_budget,
            max_sweeps=max_sweeps,
            threads=threads,
            device=device,
            callback=callback,
            cluster=cluster,
            work_dir=work_dir,
            blocks=blocks,
        )

    def _restricted(self, objective: Objective) -> DacMdp:
        """Return the model; where actions are rows, with candidates that are not forbidden."""
        from .candidate_problem import with_permitted_candidates

        known = isinstance(objective, Objective)
        rows = known and self.transitions.action_vectors
        return with_permitted_candidates(self, objective) if rows else self

    # For `help` and notebooks, which cannot see into `asked`.
    solve.__signature__ = with_keywords(solve, Objective)  # type: ignore[attr-defined]


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
        encoder: the representation: an `Encoder`, a function from a batch to [B, D], a torch
            module, a scikit-learn transformer; None standardises vector observations.
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
        cluster: search on Ray: "auto" for the cluster that is running, or else one that is
            started on this machine; or an address, "host:port". The graph is the same.
        work_dir: for that, a folder that all nodes see; a killed compile continues from there.
    """
    from ..neighbors.candidates import build_candidates
    from ..neighbors.features import Features
    from ..neighbors.search import Engine, build_graph

    instance("data", data, Transitions, "Transitions")
    k = whole_number("k", k)
    if k > len(data):
        raise InputError("k", f"at most the number of transitions, {len(data)}", k)
    m, lands = _candidates_asked(data, candidates, landing)
    # Checked here, for encoding may take long.
    options: dict[str, Any] = {
        "engine": choice("neighbors", neighbors, get_args(Engine)),
        "time_budget": optional(number, "time_budget", time_budget, above=0.0, unlimited=True),
        "allow_approximate": flag("allow_approximate", allow_approximate),
        "threads": optional(whole_number, "threads", threads),
        "resume_dir": optional(file_path, "resume_dir", resume_dir),
        "show_progress": optional(flag, "show_progress", show_progress),
    }
    search: Callable[..., NeighborGraph] = build_graph
    if cluster is not None or work_dir is not None:
        search, options = _on_cluster(data, cluster, work_dir, options)
    fitted = as_encoder(encoder, data.observations).fit(data.observations)
    source_features = fitted.encode(data.observations)
    core_features = fitted.encode(data.next_observations)
    # Checked before the warnings, which would speak of features that are refused.
    features = Features(source_features, core_features)
    warn_of_far_numbers(data, fitted, source_features, core_features, stacklevel=4)
    graph: NeighborGraph
    if data.action_vectors:
        graph = build_candidates(features, data.terminations, m, k, lands, **options)
    else:
        graph = search(features, data.actions, data.num_actions, k, **options)
    warn_of_jumps(graph, source_features, core_features, data.terminations, stacklevel=4)
    return DacMdp(data, fitted, frozen(source_features), frozen(core_features), graph)


def _on_cluster(
    data: Transitions, cluster: object, work_dir: object, options: dict[str, Any]
) -> tuple[Callable[..., NeighborGraph], dict[str, Any]]:
    """Return the search on a cluster, and its options."""
    from ..neighbors.sharded import build_graph_on_cluster, cluster_options

    if data.action_vectors:
        raise InputError("cluster", "None where actions are rows", shown(cluster))
    return build_graph_on_cluster, cluster_options(cluster, work_dir, options)


def _candidates_asked(data: Transitions, candidates: Any, landing: Any) -> tuple[int, Landing]:
    """Return how many candidates a state has, and where they lead; refuse both if discrete."""
    from ..neighbors.candidates import Landing

    candidates = optional(whole_number, "candidates", candidates)
    landing = optional(choice, "landing", landing, allowed=get_args(Landing))
    for name, given in (("candidates", candidates), ("landing", landing)):
        if given is not None and not data.action_vectors:
            raise InputError(name, "None for discrete actions", shown(given))
    return candidates or CANDIDATES, landing or "change"
