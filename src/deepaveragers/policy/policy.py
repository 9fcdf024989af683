"""Acting on observations that were never seen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from ..arguments import (
    check_takes,
    choice,
    flag,
    instance,
    number,
    optional,
    seed_number,
    whole_number,
)
from ..arrays import Array, Float64, Floats, Int64
from ..data.observations import as_observations
from ..errors import InputError
from ..mdp.problem import action_number
from ..neighbors.features import LARGEST_FEATURE, in_words
from ..solvers.plan import Plan
from . import explaining
from .decision import Decision, ImaginedStep
from .lookup import Lookahead, Lookup, Nearest
from .support import Support, measure_support

LookupName = Literal["nearest", "lookahead"]
Fallback = int | str | Callable[[Array], Any]
NO_ACTION = "No action can be told for that: look at where the observation comes from."


class Policy:
    """Greedy (or epsilon-greedy) decisions by a plan.

    Args:
        plan: the plan to act by.
        k: neighbours to average, the paper's k_pi.
        lookup: "nearest" or "lookahead"; see `policy.lookup`.
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
        lookup: LookupName = "nearest",
        epsilon: float = 0.0,
        support_threshold: float | None = None,
        fallback: Fallback | None = None,
        seed: int = 0,
    ) -> None:
        self.plan = instance("plan", plan, Plan, "a Plan")
        self.k = whole_number("k", k)
        self.lookup: LookupName = choice("lookup", lookup, get_args(LookupName))
        self.epsilon = number("epsilon", epsilon, least=0.0, most=1.0)
        if (support_threshold is None) != (fallback is None):
            raise InputError(
                "support_threshold and fallback", "given together", "one without the other"
            )
        self.support_threshold = optional(
            number, "support_threshold", support_threshold, least=0.0, most=1.0
        )
        if callable(fallback):
            check_takes("fallback", fallback, "observations")
        elif fallback is not None:
            fallback = action_number(plan.mdp, fallback, "fallback")
        self._fallback = fallback
        self._random = np.random.default_rng(seed_number(seed))
        self._shape = plan.mdp.transitions.observation_shape
        self._lookup: Lookup = (Nearest if lookup == "nearest" else Lookahead)(plan, self.k)

    def __repr__(self) -> str:
        return f"Policy(k={self.k}, lookup={self.lookup!r}, epsilon={self.epsilon})"

    def act(self, observation: Any) -> Any:
        """Return the action of one observation, or an array of actions for a batch."""
        batch, single = self._batch(observation)
        actions = self._choose(batch, self.epsilon)
        return int(actions[0]) if single else actions

    def q_values(self, observations: Any) -> Float64:
        """Return [B, A] float64; -inf for an action that is not available."""
        batch = self._batch(observations)[0]
        return self._lookup.q_values(self._encode(batch), batch)

    def support(self, observations: Any) -> Float64:
        """Return [B] in [0, 1]: how well the data support each observation."""
        return self._support_of(self._encode(self._batch(observations)[0]))

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Act under Stable-Baselines3's name and signature, for its `evaluate_policy`."""
        batch, single = self._batch(observation)
        actions = self._choose(batch, 0.0 if flag("deterministic", deterministic) else self.epsilon)
        return (actions[0] if single else actions), state

    def explain(self, observation: Any) -> Decision:
        """Return the greedy decision at one observation, with the evidence behind it."""
        batch = self._one(observation)
        features = self._encode(batch)
        chosen = int(self._choose(batch, 0.0)[0])
        score = float(self._support_of(features)[0])
        return explaining.explain(
            self.plan,
            self._lookup,
            features,
            self._lookup.q_values(features, batch)[0],
            action=chosen,
            support=score,
            abstained=self.support_threshold is not None and score < self.support_threshold,
        )

    def imagine(self, observation: Any, steps: int = 10) -> list[ImaginedStep]:
        """Return the most likely future through the data when the plan is followed."""
        steps = whole_number("steps", steps)
        batch = self._one(observation)
        features = self._encode(batch)
        action = int(np.argmax(self._lookup.q_values(features, batch)[0]))
        return explaining.imagine(self.plan, self._lookup, features, action, steps)

    def _choose(self, batch: Array, epsilon: float) -> Int64:
        features = self._encode(batch)
        q_values = self._lookup.q_values(features, batch)
        actions = np.argmax(q_values, axis=1)
        if epsilon > 0.0:
            explore = self._random.random(len(batch)) < epsilon
            for row in np.flatnonzero(explore):
                actions[row] = self._random.choice(np.flatnonzero(np.isfinite(q_values[row])))
        if self.support_threshold is not None:
            thin = self._support_of(features) < self.support_threshold
            if thin.any():
                actions[thin] = self._fall_back(batch[thin])
        return actions

    def _fall_back(self, batch: Array) -> Any:
        return self._fallback(batch) if callable(self._fallback) else self._fallback

    def _encode(self, batch: Array) -> Floats:
        features = self.plan.mdp.encoder.encode(batch)
        largest = np.abs(features).max()
        if not largest <= LARGEST_FEATURE:
            raise InputError(
                "observation",
                f"within +-{LARGEST_FEATURE:g} when encoded, so that distances are numbers",
                f"{in_words(largest)} as a feature",
                "Nothing in the data is like it: look at where it comes from.",
            )
        return features

    @cached_property
    def _nearest(self) -> Nearest:
        if isinstance(self._lookup, Nearest):
            return self._lookup
        return Nearest(self.plan, self.k)

    @cached_property
    def _support(self) -> Support:
        return measure_support(self._nearest.index, self._nearest.features, self.k)

    def _support_of(self, features: Floats) -> Float64:
        nearest = self._nearest
        _, distances = nearest.index.query(features, min(self.k, nearest.index.size))
        return self._support.score(distances)

    def _one(self, observation: Any) -> Array:
        batch, _ = self._batch(observation)
        if len(batch) != 1:
            raise InputError("observation", "one observation", f"a batch of {len(batch)}")
        return batch

    def _batch(self, observation: Any) -> tuple[Array, bool]:
        """Return observations [B, ...] and whether one was given alone."""
        if isinstance(observation, dict | tuple):
            return self._structured_batch(observation)
        array = np.asarray(observation)
        single = array.shape == self._shape or (array.ndim == 0 and self._shape == (1,))
        if single:
            array = array.reshape(1, *self._shape)
        batch = as_observations(array, "observation", NO_ACTION)
        if batch.shape[1:] != self._shape:
            raise InputError(
                "observation",
                f"of shape {self._shape}, or a batch of those, as in the data",
                f"shape {np.shape(observation)}",
            )
        return batch, single

    def _structured_batch(self, observation: Any) -> tuple[Array, bool]:
        alone = as_observations(_with_batch_axis(observation), "observation", NO_ACTION)
        if alone.shape[1:] == self._shape:
            return alone, True
        batch = as_observations(observation, "observation", NO_ACTION)
        if batch.shape[1:] != self._shape:
            raise InputError(
                "observation", f"{self._shape[0]} numbers as in the data", f"{alone.shape[1]}"
            )
        return batch, False


def _with_batch_axis(parts: Any) -> Any:
    if isinstance(parts, dict):
        # The order of an OrderedDict's keys is that of the columns.
        kind = OrderedDict if isinstance(parts, OrderedDict) else dict
        return kind((key, _with_batch_axis(part)) for key, part in parts.items())
    if isinstance(parts, tuple):
        return tuple(_with_batch_axis(part) for part in parts)
    return np.asarray(parts)[None]
