"""Acting where actions are rows of numbers: the action of the best candidate, as it was logged."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import numpy as np

from ..arguments import check_takes, choice, number, seed_number, whole_number
from ..arrays import Array, Float64
from ..data.action_vectors import as_action_bounds
from ..errors import InputError
from ..solvers.plan import Plan
from . import vector_explaining
from .acting import checked_threshold
from .candidate_lookup import CandidateLookup
from .candidate_rule import Choices
from .deciding import Decisions, no_decisions, tied_with_best
from .decision import Decision, ImaginedStep
from .observing import ObservationForm, ObservationReader
from .policy import CASES, LookupName, Policy
from .support import Support, support_of

if TYPE_CHECKING:
    from .compact_rows import CompactVectorPolicy


class VectorPolicy(Policy):
    """Greedy (or epsilon-greedy) decisions by a plan whose actions are rows.

    Args:
        plan: the plan to act by.
        k: neighbours that tell how well the data support a state.
        lookup: "auto" or "lookahead", which is what there is.
        epsilon: chance of the action of a random available candidate.
        support_threshold: in [0, 1]; where the support of an observation is smaller, the
            fallback acts. See `policy.support`.
        fallback: an action, or a function from observations [B, ...] to actions [B, Da].
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
        fallback: Any = None,
        seed: int = 0,
    ) -> None:
        self.plan, self.k = plan, whole_number("k", k)
        if choice("lookup", lookup, get_args(LookupName)) not in ("auto", "lookahead"):
            raise InputError(
                "lookup",
                "'lookahead' where actions are rows: candidate numbers mean nothing across states",
                repr(lookup),
            )
        self.lookup: LookupName = "lookahead"
        self.epsilon = number("epsilon", epsilon, least=0.0, most=1.0)
        self.support_threshold = checked_threshold(support_threshold, fallback)
        self._data = plan.mdp.transitions
        self._fallback = self._checked_fallback(fallback)
        self._random = np.random.default_rng(seed_number(seed))
        self._observations = ObservationReader(ObservationForm.of(self._data))
        self._candidates = CandidateLookup(plan)

    def q_values(self, observations: Any) -> Float64:
        """Return [B, m] float64 of the candidates, nearest first; -inf where not available."""
        return self.candidates(observations)[1]

    def candidates(self, observations: Any) -> tuple[Array, Float64]:
        """Return the actions [B, m, Da] that were weighed, and their Q-values [B, m]."""
        m = self.plan.q_values.shape[1]
        if not len(self._read(observations)[0]):
            return np.empty((0, m, self._data.actions.shape[1])), np.empty((0, m))
        found = self.choices(observations)
        return self._data.actions[found.candidates.transitions], found.q_values

    def choices(self, observations: Any) -> Choices:
        """Return the candidates of some observations: transitions, gaps, and their Q-values."""
        return self._choices(self._read(observations)[0])

    def explain(self, observation: Any, cases: int = CASES) -> Decision:
        """Return the greedy decision at one observation, with the evidence behind it.

        Args:
            observation: one observation.
            cases: comparable cases to show: the best candidates.
        """
        cases = whole_number("cases", cases, least=0)
        batch = self._one(observation)
        features = self._encode(batch)
        support = self._support_of(features)
        asked = vector_explaining.Asked(
            observation=batch,
            choices=self._candidates.choices(features, batch),
            action=self._fall_back(batch)[0] if self._thin(support)[0] else None,
            support=float(support[0]),
        )
        return vector_explaining.explain(self.plan, self._candidates, asked, cases)

    def imagine(self, observation: Any, steps: int = 10) -> list[ImaginedStep]:
        """Return the most likely future through the data when the plan is followed."""
        steps = whole_number("steps", steps)
        batch = self._one(observation)
        return vector_explaining.imagine(self.plan, self._choices(batch), steps)

    def decide(self, observations: Any) -> Decisions:
        """Return the greedy decisions on a batch, with Q-values, support, abstentions and ties."""
        batch = self._read(observations)[0]
        names = self._data.action_names
        if not len(batch):
            return no_decisions(names, self._data.actions[:0], self.plan.q_values.shape[1])
        features = self._encode(batch)
        found, support = self._candidates.choices(features, batch), self._support_of(features)
        return Decisions(
            action_names=names,
            actions=self._rows(batch, found, support, 0.0),
            q_values=found.q_values,
            support=support,
            abstained=self._thin(support),
            ties=tied_with_best(found.q_values, self.plan.below + self.plan.above),
        )

    def by(self, plan: Plan) -> VectorPolicy:
        """Return a policy that acts in the same way by another plan of the same compiled MDP."""
        self._check_same_model(plan)
        other = copy(self)
        other.plan, other._candidates = plan, self._candidates.by(plan)
        return other

    def settings(self) -> dict[str, Any]:
        """Return what was given beside the plan, as plain values: an action by its numbers."""
        given = self._fallback
        fallback = None if given is None or callable(given) else given[0].tolist()
        return {**super().settings(), "fallback": fallback}

    def compact(self) -> CompactVectorPolicy:
        """Return the same decisions without the log: what acting needs, and no more."""
        from .compacting import compacted_rows

        return compacted_rows(self, self._candidates.rule, self._support, self._fallback)

    def thinned(self, states: int = 2_000, *, seed: int = 0) -> NoReturn:
        """Refuse: fewer states would have fewer actions to choose from."""
        raise InputError(
            "policy",
            "one of numbered actions to be thinned",
            f"one of {self._data.actions_in_words}",
            "Save it whole, or compile fewer transitions.",
        )

    def _choices(self, batch: Array) -> Choices:
        return self._candidates.choices(self._encode(batch), batch)

    def _actions(self, batch: Array, epsilon: float) -> Array:
        if not len(batch):
            return np.empty((0, self._data.actions.shape[1]), self._data.actions.dtype)
        features = self._encode(batch)
        support = None if self.support_threshold is None else self._support_of(features)
        return self._rows(batch, self._candidates.choices(features, batch), support, epsilon)

    def _rows(self, batch: Array, found: Choices, support: Float64 | None, epsilon: float) -> Array:
        """Return the actions [B, Da] of observations with candidates and support [B]."""
        actions: Array = self._data.actions[found.at(self._places(found.q_values, epsilon))]
        if support is not None and (thin := self._thin(support)).any():
            actions[thin] = self._fall_back(batch[thin])
        return actions

    def _checked_fallback(self, fallback: Any) -> Array | Callable[[Array], Any] | None:
        if fallback is None:
            return None
        if callable(fallback):
            check_takes("fallback", fallback, "observations")
            return fallback
        return self._as_actions(fallback, 1)

    def _fall_back(self, batch: Array) -> Array:
        """Return the fallback's actions [B, Da], or the one [1, Da] that it always takes."""
        given: Any = self._fallback
        return self._as_actions(given(batch), len(batch)) if callable(given) else given

    def _as_actions(self, given: Any, count: int) -> Array:
        width = self._data.actions.shape[1]
        try:
            rows = np.asarray(given, dtype=np.float64).reshape(count, width)
        except (TypeError, ValueError):
            rows = np.full((1, 1), np.nan)
        kept = rows.astype(self._data.actions.dtype) if np.isfinite(rows).all() else rows
        whole = kept.dtype.kind == "i"
        if not np.isfinite(kept).all() or (whole and not np.array_equal(kept, rows)):
            kind = "whole" if self._data.actions.dtype.kind == "i" else "finite"
            raise InputError("fallback", f"actions of {width} {kind} numbers", given)
        as_action_bounds(self._data.action_bounds, rows, self._data.action_names)
        return kept

    @cached_property
    def _support(self) -> Support:
        return support_of(self.plan.mdp, self.k, self._candidates.rule.index)
