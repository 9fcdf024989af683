"""What a policy does in logged states, beside what was done there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Float64, Int64
from ..policy.policy import Policy
from ..solvers.planned_actions import steps_apart

MOST_STATES = 5_000
"""Logged states that are looked at, evenly spread over the log."""


@dataclass(frozen=True)
class Change:
    """One kind of decision that the plan would change.

    Attributes:
        logged: what was done.
        planned: what the plan does instead.
        states: how often.
        gain: by how much the plan's Q-value of its action is larger, on average over the states
            where both have one; None where none has.
    """

    logged: str
    planned: str
    states: int
    gain: float | None


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions in S logged states.

    Attributes:
        rows: [S] int64, their transitions.
        columns: [S, D] float64, the states; D is 0 for pictures.
        logged: [S] int64, what was done; [S, Da] float64 where actions are rows.
        planned: [S] int64 or [S, Da] float64, what the policy does.
        differs: [S] bool, where the policy does something else than was done.
        q_values: [S, A] float64, -inf where an action is not available.
    """

    rows: Int64
    columns: Float64
    logged: Array
    planned: Array
    differs: Bool
    q_values: Float64

    def changes(self, names: tuple[str, ...]) -> tuple[Change, ...]:
        """Return the kinds of changes, the most frequent first; none where actions are rows."""
        if self.planned.ndim > 1:
            return ()
        pairs = np.column_stack((self.logged, self.planned))[self.differs]
        kinds, counts = np.unique(pairs, axis=0, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return tuple(
            Change(names[old], names[new], int(count), self._gain(old, new))
            for (old, new), count in zip(kinds[order].tolist(), counts[order], strict=True)
        )

    def _gain(self, old: int, new: int) -> float | None:
        here = (self.logged == old) & (self.planned == new)
        with np.errstate(invalid="ignore"):
            gains = self.q_values[here, new] - self.q_values[here, old]
        gains = gains[np.isfinite(gains)]
        return float(gains.mean()) if len(gains) else None

    def ties(self, reach: float) -> float:
        """Return the share of states whose two best actions are no farther apart than `reach`."""
        if self.q_values.shape[1] < 2:
            return 0.0
        best = np.sort(self.q_values, axis=1)
        return float((best[:, -1] <= best[:, -2] + reach).mean())


def decisions_of(policy: Policy) -> Decisions:
    """Return what a policy does in the states of its log, without any chance."""
    data = policy.plan.mdp.transitions
    rows = np.unique(np.linspace(0, len(data) - 1, MOST_STATES).astype(np.int64))
    states = np.asarray(data.observations[rows])
    flat = states if len(data.observation_shape) == 1 else np.empty((len(rows), 0))
    kind = np.float64 if data.action_vectors else np.int64
    logged = data.actions[rows].astype(kind)
    planned = np.asarray(policy.predict(states)[0], dtype=kind)
    rows_apart = steps_apart(data, logged, planned).any(axis=1) if data.action_vectors else ()
    return Decisions(
        rows=rows,
        columns=flat.astype(np.float64),
        logged=logged,
        planned=planned,
        differs=np.asarray(rows_apart if data.action_vectors else logged != planned),
        q_values=policy.q_values(states),
    )
