"""Acting where actions are rows of numbers: the action of the best candidate, as it was logged."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NoReturn, get_args

import numpy as np

from ..arguments import check_takes, choice, flag, number, optional, seed_number, whole_number
from ..arrays import Array, Float64
from ..data.action_vectors import as_action_bounds
from ..errors import InputError
from ..neighbors.choice import serving_index
from ..solvers.plan import Plan
from . import vector_explaining
from .candidate_lookup import CandidateLookup, Choices
from .decision import Decision, ImaginedStep
from .observing import ObservationForm, ObservationReader
from .policy import CASES, LookupName, Policy
from .support import Support


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
        if choice("lookup", lookup, get_args(LookupName)) == "nearest":
            raise InputError(
                "lookup",
                "'lookahead' where actions are rows: candidate numbers mean nothing across states",
                "'nearest'",
            )
        self.lookup: LookupName = "lookahead"
        self.epsilon = number("epsilon", epsilon, least=0.0, most=1.0)
        if (support_threshold is None) != (fallback is None):
            raise InputError(
                "support_threshold and fallback", "given together", "one without the other"
            )
        self.support_threshold = optional(
            number, "support_threshold", support_threshold, least=0.0, most=1.0
        )
        self._data = plan.mdp.transitions
        self._fall_back_to = self._checked_fallback(fallback)
        self._random = np.random.default_rng(seed_number(seed))
        self._observations = ObservationReader(ObservationForm.of(self._data))
        self._candidates = CandidateLookup(plan)

    def act(self, observation: Any) -> Any:
        """Return the action [Da] of one observation, or actions [B, Da] for a batch."""
        batch, single = self._observations.read(observation)
        actions = self._vectors(batch, self.epsilon)
        return actions[0] if single else actions

    def q_values(self, observations: Any) -> Float64:
        """Return [B, m] float64 of the candidates, nearest first; -inf where not available."""
        return self.candidates(observations)[1]

    def candidates(self, observations: Any) -> tuple[Array, Float64]:
        """Return the actions [B, m, Da] that were weighed, and their Q-values [B, m]."""
        batch = self._observations.read(observations)[0]
        m = self.plan.q_values.shape[1]
        if not len(batch):
            return np.empty((0, m, self._data.actions.shape[1])), np.empty((0, m))
        found = self._choices(batch)
        return self._data.actions[found.candidates.transitions], found.q_values

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Act under Stable-Baselines3's name and signature, for its `evaluate_policy`."""
        batch, single = self._observations.read(observation)
        actions = self._vectors(
            batch, 0.0 if flag("deterministic", deterministic) else self.epsilon
        )
        return (actions[0] if single else actions), state

    def explain(self, observation: Any, cases: int = CASES) -> Decision:
        """Return the greedy decision at one observation, with the evidence behind it.

        Args:
            observation: one observation.
            cases: comparable cases to show: the best candidates.
        """
        cases = whole_number("cases", cases, least=0)
        batch = self._one(observation)
        choices = self._choices(batch)
        support = float(self._support_of(self._encode(batch))[0])
        thin = self.support_threshold is not None and support < self.support_threshold
        asked = vector_explaining.Asked(
            observation=batch,
            choices=choices,
            action=self._fallen_back(batch)[0] if thin else None,
            support=support,
        )
        return vector_explaining.explain(self.plan, self._candidates, asked, cases)

    def imagine(self, observation: Any, steps: int = 10) -> list[ImaginedStep]:
        """Return the most likely future through the data when the plan is followed."""
        steps = whole_number("steps", steps)
        batch = self._one(observation)
        return vector_explaining.imagine(self.plan, self._choices(batch), steps)

    def decide(self, observations: Any) -> NoReturn:
        """Refuse: decisions on a batch, for files and servers, are of discrete actions."""
        self._refuse("for decisions with names")

    def compact(self) -> NoReturn:
        """Refuse: a policy without its log is of discrete actions."""
        self._refuse("to be saved on its own")

    def thinned(self, states: int = 2_000, *, seed: int = 0) -> NoReturn:
        """Refuse: a policy without its log is of discrete actions."""
        self._refuse("to be saved on its own")

    def _refuse(self, what: str) -> NoReturn:
        remedy = "Save the plan, and act by plan.policy()."
        kind = self._data.actions_in_words
        raise InputError("policy", f"one of discrete actions {what}", f"one of {kind}", remedy)

    def _choices(self, batch: Array) -> Choices:
        return self._candidates.choices(self._encode(batch), batch)

    def _vectors(self, batch: Array, epsilon: float) -> Array:
        if not len(batch):
            return np.empty((0, self._data.actions.shape[1]), self._data.actions.dtype)
        found = self._choices(batch)
        places = np.argmax(found.q_values, axis=1)
        if epsilon > 0.0:
            for row in np.flatnonzero(self._random.random(len(batch)) < epsilon):
                free = np.flatnonzero(np.isfinite(found.q_values[row]))
                places[row] = self._random.choice(free)
        rows = found.candidates.transitions[np.arange(len(batch)), places]
        actions: Array = self._data.actions[rows]
        if self.support_threshold is not None:
            thin = self._support_of(self._encode(batch)) < self.support_threshold
            if thin.any():
                actions[thin] = self._fallen_back(batch[thin])
        return actions

    def _checked_fallback(self, fallback: Any) -> Array | Callable[[Array], Any] | None:
        if fallback is None:
            return None
        if callable(fallback):
            check_takes("fallback", fallback, "observations")
            return fallback
        return self._as_actions(fallback, 1)

    def _fallen_back(self, batch: Array) -> Array:
        given = self._fall_back_to
        if callable(given):
            return self._as_actions(given(batch), len(batch))
        assert given is not None
        return np.broadcast_to(given, (len(batch), given.shape[1]))

    def _as_actions(self, given: Any, count: int) -> Array:
        width = self._data.actions.shape[1]
        try:
            rows = np.asarray(given, dtype=np.float64).reshape(count, width)
        except (TypeError, ValueError):
            rows = np.full((1, 1), np.nan)
        if not np.isfinite(rows).all():
            raise InputError("fallback", f"actions of {width} finite numbers", given)
        as_action_bounds(self._data.action_bounds, rows, self._data.action_names)
        return rows.astype(self._data.actions.dtype)

    @cached_property
    def _support(self) -> Support:
        mdp = self.plan.mdp
        living = ~mdp.transitions.terminations
        features = mdp.core_features[living] if living.any() else mdp.source_features
        return Support(serving_index(features), features, self.k)
