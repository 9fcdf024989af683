"""Acting on observations that were never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ..arrays import Array, Float64, Int64
from ..data.observations import as_observations
from ..errors import InputError
from .lookup import Lookahead, Nearest

if TYPE_CHECKING:
    from ..solvers.plan import Plan

Lookup = Literal["nearest", "lookahead"]


class Policy:
    """Greedy (or epsilon-greedy) decisions by a plan.

    Args:
        plan: the plan to act by.
        k: neighbours to average, the paper's k_pi.
        lookup: "nearest" or "lookahead"; see `policy.lookup`.
        epsilon: chance of a random available action.
        seed: of those random actions.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        k: int = 11,
        lookup: Lookup = "nearest",
        epsilon: float = 0.0,
        seed: int = 0,
    ) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InputError("k", "a whole number >= 1", k)
        if lookup not in get_args(Lookup):
            raise InputError("lookup", "'nearest' or 'lookahead'", repr(lookup))
        if not isinstance(epsilon, int | float) or not 0.0 <= epsilon <= 1.0:
            raise InputError("epsilon", "a number in [0, 1]", epsilon)
        self.plan = plan
        self.k = k
        self.lookup = lookup
        self.epsilon = float(epsilon)
        self._random = np.random.default_rng(seed)
        self._shape = plan.mdp.transitions.observation_shape
        self._lookup = Nearest(plan, k) if lookup == "nearest" else Lookahead(plan, k)

    def __repr__(self) -> str:
        return f"Policy(k={self.k}, lookup={self.lookup!r}, epsilon={self.epsilon})"

    def act(self, observation: Any) -> Any:
        """Return the action of one observation, or an array of actions for a batch."""
        batch, single = self._batch(observation)
        actions = self._choose(batch, self.epsilon)
        return int(actions[0]) if single else actions

    def q_values(self, observations: Any) -> Float64:
        """Return [B, A] float64; -inf for an action that is not available."""
        return self._q_of(self._batch(observations)[0])

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Act under Stable-Baselines3's name and signature, for its `evaluate_policy`."""
        batch, single = self._batch(observation)
        actions = self._choose(batch, 0.0 if deterministic else self.epsilon)
        return (actions[0] if single else actions), state

    def _choose(self, batch: Array, epsilon: float) -> Int64:
        q_values = self._q_of(batch)
        actions = np.argmax(q_values, axis=1)
        if epsilon > 0.0:
            explore = self._random.random(len(batch)) < epsilon
            for row in np.flatnonzero(explore):
                actions[row] = self._random.choice(np.flatnonzero(np.isfinite(q_values[row])))
        return actions

    def _q_of(self, batch: Array) -> Float64:
        return self._lookup.q_values(self.plan.mdp.encoder.encode(batch))

    def _batch(self, observation: Any) -> tuple[Array, bool]:
        """Return observations [B, ...] and whether one was given alone."""
        if isinstance(observation, dict | tuple):
            return self._structured_batch(observation)
        array = np.asarray(observation)
        single = array.shape == self._shape or (array.ndim == 0 and self._shape == (1,))
        if single:
            array = array.reshape(1, *self._shape)
        batch = as_observations(array, "observation")
        if batch.shape[1:] != self._shape:
            raise InputError(
                "observation",
                f"of shape {self._shape}, or a batch of those, as in the data",
                f"shape {np.shape(observation)}",
            )
        return batch, single

    def _structured_batch(self, observation: Any) -> tuple[Array, bool]:
        alone = as_observations(_with_batch_axis(observation), "observation")
        if alone.shape[1:] == self._shape:
            return alone, True
        batch = as_observations(observation, "observation")
        if batch.shape[1:] != self._shape:
            raise InputError(
                "observation", f"{self._shape[0]} numbers as in the data", f"{alone.shape[1]}"
            )
        return batch, False


def _with_batch_axis(parts: Any) -> Any:
    if isinstance(parts, dict):
        return {key: _with_batch_axis(part) for key, part in parts.items()}
    if isinstance(parts, tuple):
        return tuple(_with_batch_axis(part) for part in parts)
    return np.asarray(parts)[None]
