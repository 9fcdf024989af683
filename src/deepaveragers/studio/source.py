"""What the studio is opened on: a model, a plan with its model, or data, compiled first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..data.observations import is_image
from ..data.transitions import Transitions
from ..errors import InputError
from ..mdp.candidate_problem import candidate_graph
from ..mdp.compilation import compile
from ..mdp.model import DacMdp
from ..neighbors.candidates import build_candidates
from ..neighbors.features import Features
from ..solvers.plan import Plan
from ..storage.array_file import digest_of
from ..storage.records import load_as
from .snippet import Kind

NEIGHBORS = 5
"""Per state and action, as `dac compile` takes by default."""


@dataclass(frozen=True, eq=False)
class Source:
    """A model, and where it comes from.

    Attributes:
        mdp: the compiled model.
        plan: that was loaded with it, if any.
        path: as it was given, for people and for snippets.
        kind: what is stored there.
    """

    mdp: DacMdp
    plan: Plan | None
    path: str
    kind: Kind

    @property
    def name(self) -> str:
        """The last part of the path."""
        return Path(self.path).name or self.path

    @property
    def digest(self) -> str:
        """Tells this model from others: of its graph and its rewards."""
        return digest_of(self.mdp.graph.indices)[:16] + digest_of(self.mdp.transitions.rewards)[:16]


def load_source(path: Path) -> Source:
    """Load what is at the path; data are compiled as `dac compile` does by default."""
    return source_of(load_as((DacMdp, Plan, Transitions), path), str(path))


def source_of(thing: DacMdp | Plan | Transitions, path: str) -> Source:
    """Return the model of what was loaded from the path."""
    if isinstance(thing, Plan):
        mdp = _unrestricted(thing)
        return Source(mdp, thing, path, "plan" if mdp is thing.mdp else "restricted")
    if isinstance(thing, DacMdp):
        return Source(thing, None, path, "model")
    if is_image(thing.observations):
        raise InputError(
            "model",
            "a compiled model where observations are pictures",
            f"{path}, a bundle with transitions",
            "`dac compile DATA --encoder identity -o MODEL` makes one; other encoders tell more.",
        )
    return Source(compile(thing, min(NEIGHBORS, len(thing))), None, path, "transitions")


def _unrestricted(plan: Plan) -> DacMdp:
    """Return the model of a plan, with all candidates where the plan forbids ranges of actions."""
    mdp = plan.mdp
    if not (mdp.transitions.action_vectors and plan.objective.forbidden_actions):
        return mdp
    graph = candidate_graph(mdp)
    features = Features(mdp.source_features, mdp.core_features)
    ended, m = mdp.transitions.terminations, graph.transitions.shape[1]
    return replace(mdp, graph=build_candidates(features, ended, m, graph.k, graph.landing))
