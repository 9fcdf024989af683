"""Acting on observations that were never seen."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ..arguments import check_takes, choice, instance, number, seed_number, whole_number
from ..arrays import Array, Bool, Float64, Floats, Int64
from ..errors import InputError
from ..mdp.problem import action_number, only_action
from ..solvers.plan import Plan
from . import explaining
from .acting import Acting, checked_threshold
from .case import Cases
from .deciding import Decisions, encode_within, no_decisions, tied_with_best
from .decision import Decision, ImaginedStep
from .lookup import Lookahead, Lookup, Nearest, Network
from .observing import ObservationForm, ObservationReader
from .sources import SourceStates
from .support import Support, support_of

if TYPE_CHECKING:
    from .compact import CompactPolicy

LookupName = Literal["auto", "nearest", "lookahead", "network"]
CASES = 4
"""Comparable cases that an explanation shows."""
Fallback = int | str | Callable[[Array], Any]


class Policy(Acting):
    """Greedy (or epsilon-greedy) decisions by a plan.

    Observations are arrays in the order of the data's columns or, where the data have names,
    anything that names its columns, in any order: a mapping, a list of mappings, a pandas or
    polars DataFrame, an Arrow table. Columns that the data do not have are ignored, with one
    warning.

    Args:
        plan: the plan to act by.
        k: neighbours to average, the paper's k_pi.
        lookup: "nearest" or "lookahead", see `policy.lookup`; "auto" is "nearest", and
            "lookahead" for one-step data, in which every transition ends its episode. "network"
            acts as the network of the representation does; see `solve_own_policy`.
        epsilon: chance of a random available action.
        support_threshold: in [0, 1]; where the support of an observation is smaller, the
            fallback acts. See `policy.support`.
        fallback: an action by number or name, or a function from observations [B, ...] to
            actions [B].
        seed: of the random actions.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        k: int = 11,
        lookup: LookupName = "auto",
        epsilon: float = 0.0,
        support_threshold: float | None = None,
        fallback: Fallback | None = None,
        seed: int = 0,
    ) -> None:
        self.plan = instance("plan", plan, Plan, "a Plan")
        self.k = whole_number("k", k)
        self.lookup = _lookup_for(plan, choice("lookup", lookup, get_args(LookupName)))
        self.epsilon = number("epsilon", epsilon, least=0.0, most=1.0)
        self.support_threshold = checked_threshold(support_threshold, fallback)
        if callable(fallback):
            check_takes("fallback", fallback, "observations")
        elif fallback is not None:
            fallback = action_number(plan.mdp, fallback, "fallback")
        self._fallback: Any = fallback
        self._always = only_action(plan.mdp, plan.objective)
        self._random = np.random.default_rng(seed_number(seed))
        self._observations = ObservationReader(ObservationForm.of(plan.mdp.transitions))
        self._sources = SourceStates(plan.mdp)
        self._lookup = self._made_lookup()

    def __repr__(self) -> str:
        return f"Policy(k={self.k}, lookup={self.lookup!r}, epsilon={self.epsilon})"

    def _made_lookup(self) -> Lookup:
        if self.lookup == "lookahead":
            return Lookahead(self.plan, self.k, self._sources)
        return (Network if self.lookup == "network" else Nearest)(self.plan, self.k)

    def by(self, plan: Plan) -> Policy:
        """Return a policy that acts in the same way by another plan of the same compiled MDP.

        What is searched is shared, so that this is quick, and takes little memory.
        """
        self._check_same_model(plan)
        other = copy(self)
        other.plan, other._lookup = plan, self._lookup.by(plan)
        return other

    def _check_same_model(self, plan: Plan) -> None:
        instance("plan", plan, Plan, "a Plan")
        if plan.mdp.core_features is not self.plan.mdp.core_features:
            raise InputError("plan", "a plan of the same compiled MDP", "one of another")

    @property
    def typical_distance(self) -> float:
        """Median over the data's own states of the mean distance to their nearest others."""
        return float(np.median(self._support.reference))

    def q_values(self, observations: Any) -> Float64:
        """Return [B, A] float64; -inf for an action that is not available."""
        batch = self._read(observations)[0]
        if not len(batch):
            return np.empty((0, self.plan.mdp.transitions.num_actions))
        return self._lookup.q_values(self._encode(batch), batch)

    def support(self, observations: Any) -> Float64:
        """Return [B] in [0, 1]: how well the data support each observation."""
        batch = self._read(observations)[0]
        return self._support_of(self._encode(batch)) if len(batch) else np.empty(0)

    def decide(self, observations: Any) -> Decisions:
        """Return the greedy decisions on a batch, with Q-values, support, abstentions and ties."""
        batch = self._read(observations)[0]
        names = self.plan.mdp.transitions.action_names
        if not len(batch):
            return no_decisions(names)
        features = self._encode(batch)
        q_values, support = self._lookup.q_values(features, batch), self._support_of(features)
        return Decisions(
            action_names=names,
            actions=self._choose(batch, q_values, support, 0.0),
            q_values=q_values,
            support=support,
            abstained=self._thin(support),
            ties=tied_with_best(q_values, self.plan.below + self.plan.above),
        )

    def settings(self) -> dict[str, Any]:
        """Return what was given beside the plan, as plain values: an action by its number."""
        return {
            "k": self.k,
            "lookup": self.lookup,
            "support_threshold": self.support_threshold,
            "fallback": None if callable(self._fallback) else self._fallback,
        }

    def compact(self) -> CompactPolicy:
        """Return the same decisions without the log: what acting needs, and no more."""
        from .compacting import compacted

        return compacted(self, self._lookup, self._sources, self._support, self._fallback)

    def thinned(self, states: int = 2_000, *, seed: int = 0) -> CompactPolicy:
        """Return a policy of `states` states, drawn by the seed, and how well it agrees."""
        from .thinning import thinned

        states, seed = whole_number("states", states), seed_number(seed)
        return thinned(self.compact(), self.plan.mdp.source_features, states, seed)

    def explain(self, observation: Any, cases: int = CASES) -> Decision:
        """Return the greedy decision at one observation, with the evidence behind it.

        Args:
            observation: one observation.
            cases: comparable cases to show of the chosen action, and of the best other one.
        """
        cases = whole_number("cases", cases, least=0)
        batch = self._one(observation)
        features = self._encode(batch)
        q_values = self._lookup.q_values(features, batch)
        support = self._support_of(features)
        asked = explaining.Asked(
            observation=batch,
            features=features,
            q_values=q_values[0],
            action=int(self._choose(batch, q_values, support, 0.0)[0]),
            support=float(support[0]),
            abstained=bool(self._thin(support)[0]),
        )
        return explaining.explain(self.plan, self._lookup, self._cases, asked, cases)

    def imagine(self, observation: Any, steps: int = 10) -> list[ImaginedStep]:
        """Return the most likely future through the data when the plan is followed.

        It ends where the episode does, or where it would repeat itself.

        Args:
            observation: one observation.
            steps: the most to return.
        """
        steps = whole_number("steps", steps)
        batch = self._one(observation)
        features = self._encode(batch)
        action = int(np.argmax(self._lookup.q_values(features, batch)[0]))
        return explaining.imagine(self.plan, self._lookup, features, action, steps)

    def _actions(self, batch: Array, epsilon: float) -> Int64:
        if not len(batch):
            return np.empty(0, np.int64)
        if self._always is not None and self.support_threshold is None:
            return np.full(len(batch), self._always, dtype=np.int64)
        features = self._encode(batch)
        q_values = self._lookup.q_values(features, batch)
        support = None if self.support_threshold is None else self._support_of(features)
        return self._choose(batch, q_values, support, epsilon)

    def _choose(
        self, batch: Array, q_values: Float64, support: Float64 | None, epsilon: float
    ) -> Int64:
        """Return the actions [B] of observations with Q-values [B, A] and support [B]."""
        actions = self._places(q_values, epsilon)
        if support is not None and (thin := self._thin(support)).any():
            actions[thin] = self._fall_back(batch[thin])
        return actions

    def _places(self, q_values: Float64, epsilon: float) -> Int64:
        """Return [B] the places of the best of Q-values [B, A], or of random available ones."""
        places = np.argmax(q_values, axis=1)
        if epsilon > 0.0:
            for row in np.flatnonzero(self._random.random(len(q_values)) < epsilon):
                places[row] = self._random.choice(np.flatnonzero(np.isfinite(q_values[row])))
        return places

    def _thin(self, support: Float64) -> Bool:
        """Return [B] bool: where the support [B] is too thin for the plan to act."""
        return support < (0.0 if self.support_threshold is None else self.support_threshold)

    def _fall_back(self, batch: Array) -> Any:
        return self._fallback(batch) if callable(self._fallback) else self._fallback

    def _encode(self, batch: Array) -> Floats:
        return encode_within(self.plan.mdp.encoder, batch)

    @cached_property
    def _cases(self) -> Cases:
        return Cases(self.plan.mdp.transitions, self._sources)

    @cached_property
    def _support(self) -> Support:
        """How far the states of the data are from each other: those that led on, or all."""
        if isinstance(self._lookup, Nearest):
            return Support(self._lookup.index, self._lookup.features, self.k)
        return support_of(self.plan.mdp, self.k)

    def _support_of(self, features: Floats) -> Float64:
        return self._support.score(features)


def policy_of(plan: Plan, **options: Any) -> Policy:
    """Return the policy that suits the plan's actions: numbered, or rows."""
    from .vector_policy import VectorPolicy

    kind = VectorPolicy if plan.mdp.transitions.action_vectors else Policy
    return kind(plan, **options)


def _lookup_for(plan: Plan, asked: LookupName) -> LookupName:
    """Return the lookup that was asked for, or the one that suits the data."""
    if asked != "auto":
        return asked
    return "lookahead" if plan.mdp.transitions.terminations.all() else "nearest"
