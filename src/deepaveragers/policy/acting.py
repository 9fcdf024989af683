"""What every policy can do: act, under its own name and under that of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

from ..arguments import flag, number, optional
from ..arrays import Array
from ..errors import InputError
from .observing import ObservationReader


class Acting:
    """Acts on observations that were never seen.

    A policy says how it decides on a batch (`_actions`); that its observations are read by
    another reader is said by `_read`.
    """

    epsilon: float = 0.0
    _observations: ObservationReader

    def act(self, observation: Any) -> Any:
        """Return the action of one observation, or an array of actions for a batch.

        An action is a number, or a row [Da] where the actions of the data are rows.
        """
        batch, single = self._read(observation)
        actions = self._actions(batch, self.epsilon)
        if not single:
            return actions
        return int(actions[0]) if actions.ndim == 1 else actions[0]

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Act under Stable-Baselines3's name and signature, for its `evaluate_policy`."""
        greedy = flag("deterministic", deterministic)
        batch, single = self._read(observation)
        actions = self._actions(batch, 0.0 if greedy else self.epsilon)
        return (actions[0] if single else actions), state

    def _read(self, observation: Any) -> tuple[Array, bool]:
        """Return observations [B, ...], and whether one was given alone."""
        return self._observations.read(observation)

    def _one(self, observation: Any) -> Array:
        batch, _ = self._read(observation)
        if len(batch) != 1:
            raise InputError("observation", "one observation", f"a batch of {len(batch)}")
        return batch

    def _actions(self, batch: Array, epsilon: float) -> Array:
        """Return the actions [B] or [B, Da] of observations [B, ...].

        Args:
            batch: what to decide on.
            epsilon: chance of a random action.
        """
        raise NotImplementedError


def checked_threshold(support_threshold: float | None, fallback: Any) -> float | None:
    """Return the support below which a fallback acts; one is nothing without the other."""
    if (support_threshold is None) != (fallback is None):
        raise InputError(
            "support_threshold and fallback", "given together", "one without the other"
        )
    return optional(number, "support_threshold", support_threshold, least=0.0, most=1.0)
