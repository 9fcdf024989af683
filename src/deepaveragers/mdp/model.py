"""The compiled MDP: the record that everything meets at."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..arguments import (
    check_known,
    with_keywords,
)
from ..arrays import Floats
from ..data.transitions import Transitions
from ..neighbors.graph import NeighborGraph
from ..representation.encoder import Encoder
from .objective import Objective, ObjectiveFields
from .prepared import Prepared

if TYPE_CHECKING:
    from ..solvers.plan import Plan
    from ..solvers.planner import Device, Method
    from .imitation import Imitation


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

    def same_model(self, other: DacMdp) -> bool:
        """Whether plans of both can be compared: the same states, and the same to choose among.

        Where actions are rows, a plan that forbids some has a model with other candidates.
        """
        if self is other:
            return True
        if not self.transitions.action_vectors:
            return np.array_equal(self.graph.indices, other.graph.indices)
        alike = self.graph.indices.shape == other.graph.indices.shape
        return alike and (
            self.core_features is other.core_features
            or np.array_equal(self.core_features, other.core_features)
        )

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
            tolerance: largest error allowed, relative to |T 0| / (1 - gamma), with |T 0| the
                largest absolute value of one step, costs included.
            method: "policy_iteration" (what "auto" takes), or "value_iteration": sweeps only.
            start: a plan with as many states and actions, preferably of this MDP, whose policy is
                tried first, or only its values (docs/planner.md). Not used with a horizon.
            time_budget: seconds after which the bounds reached so far are returned.
            max_sweeps: sweeps after which the bounds reached so far are returned.
            threads: None takes all cores, up to 4. The bits are the same for any number.
            device: "cpu"; "cuda", a GPU (extra `cuda`); or "auto", a GPU for large MDPs if it can.
            callback: called after sweeps and within long evaluations; a true result stops all.
            cluster: "auto" or the address of a Ray cluster, which plans in blocks where the MDP
                does not fit this machine's memory.
            work_dir: for that, a folder that all nodes see; a killed plan continues from there.
            blocks: with a cluster, the number of blocks, even if the plan fits this machine.
            asked: fields of `Objective`; `help(deepaveragers.Objective)` says what each means.
        """
        from ..solvers.planner import OPTIONS, solve
        from .problem import with_cost

        check_known("options", asked, OPTIONS | Objective.field_names() | {"objective"})
        question = Objective.asked(objective, asked)
        model = self._restricted(question)
        noise = isinstance(question, Objective) and question.action_noise > 0.0
        plan = solve(
            replace(model) if noise else model,  # such rows are not those that are prepared
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
        return replace(plan, mdp=model) if noise else plan

    def _restricted(self, objective: Objective) -> DacMdp:
        """Return the model; where actions are rows, with candidates that are not forbidden."""
        from .candidate_problem import with_permitted_candidates

        known = isinstance(objective, Objective)
        rows = known and self.transitions.action_vectors
        return with_permitted_candidates(self, objective) if rows else self

    # For `help` and notebooks, which cannot see into `asked`.
    solve.__signature__ = with_keywords(solve, Objective)  # type: ignore[attr-defined]
