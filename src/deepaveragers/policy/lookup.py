"""From the plan's values to Q-values of any state s.

- "nearest" (the paper's state-level heuristic, read as in its text): with c_i the k
  nearest core states and alpha_i their normalised weights,
  Q(s, a) = sum_i alpha_i Q(c_i, a). One search per decision.
- "lookahead" (Eq. 3): with the k nearest transitions of each action a,
  Q(s, a) = sum_j alpha_j (r_j - C d_j + gamma V(s'_j)). One search per action.

Core states where an episode ended have no actions, and are never neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Float64, Floats
from ..errors import InputError
from ..mdp.objective import DISTANCE_OFFSET
from ..neighbors.tree import TreeIndex

if TYPE_CHECKING:
    from ..solvers.plan import Plan


class Nearest:
    """Q-values by the nearest core states."""

    def __init__(self, plan: Plan, k: int) -> None:
        living = np.flatnonzero(~plan.mdp.transitions.terminations)
        if len(living) == 0:
            raise InputError(
                "lookup",
                "'lookahead' for a dataset in which every transition ends its episode",
                "'nearest'",
            )
        self._k = min(k, len(living))
        self._uniform = plan.objective.weighting == "uniform"
        self._index = TreeIndex(plan.mdp.core_features[living])
        self._q_values = plan.q_values[living]

    def q_values(self, features: Floats) -> Float64:
        """Return [B, A] for features [B, D]."""
        rows, distances = self._index.query(features, self._k)
        weights = np.ones_like(distances) if self._uniform else 1.0 / (distances + DISTANCE_OFFSET)
        weights /= weights.sum(axis=1, keepdims=True)
        return np.einsum("bk,bka->ba", weights, self._q_values[rows])


class Lookahead:
    """Q-values by one step through the nearest transitions of each action."""

    def __init__(self, plan: Plan, k: int) -> None:
        data = plan.mdp.transitions
        self._plan = plan
        self._k = k
        self._members = [np.flatnonzero(data.actions == a) for a in range(data.num_actions)]
        self._indexes = [
            TreeIndex(plan.mdp.source_features[rows]) if len(rows) else None
            for rows in self._members
        ]

    def q_values(self, features: Floats) -> Float64:
        """Return [B, A] for features [B, D]."""
        plan, objective = self._plan, self._plan.objective
        result = np.full((len(features), len(self._members)), -np.inf)
        for action, (members, index) in enumerate(zip(self._members, self._indexes, strict=True)):
            if index is None:
                continue
            rows, distances = index.query(features, min(self._k, len(members)))
            rows = members[rows]
            weights = 1.0 / (distances + DISTANCE_OFFSET)
            if objective.weighting == "uniform":
                weights = np.ones_like(distances)
            weights /= weights.sum(axis=1, keepdims=True)
            outcomes = plan.mdp.transitions.rewards[rows] - objective.cost * distances
            outcomes += objective.gamma * plan.values[rows]
            result[:, action] = (weights * outcomes).sum(axis=1)
        return result
