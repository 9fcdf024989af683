"""Logged behaviour: what it earns, and an actor that acts like it.

What it earns needs no estimate: the discounted returns of the held-out episodes. An episode that
was cut off goes on in the world; from there on it counts with V_b of its last state, which is
fitted to the log itself (least-squares temporal differences; it is on its own policy, so stable).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....arrays import Array, Float64
from ....data.returns import returns_to_go
from ....neighbors.tree import TreeIndex
from ..folds import Log
from .basis import Basis
from .importance import NEIGHBORS

RIDGE = 1e-3
SMALLEST_TAIL = 1e-3
"""Discount left at the end of an episode, below which nothing is added."""


def behaviour_parts(log: Log, basis: Basis, states: Array, next_states: Array) -> Float64:
    """Return [E] float64, the discounted return of each episode, gone on where it was cut off."""
    cut = ~log.data.terminations[log.last]
    left = log.gamma ** (log.step[log.last] + 1)
    if not (cut & (left > SMALLEST_TAIL)).any():
        return log.discounted()
    here, there = basis(states), basis(next_states)
    there[log.data.terminations] = 0.0
    matrix = here.T @ (here - log.gamma * there)
    size = float(np.square(here).sum()) / len(matrix)
    matrix[np.diag_indices(len(matrix))] += RIDGE * size
    theta = np.linalg.solve(matrix, here.T @ log.data.rewards)
    # No more, and no less, than was ever seen to follow.
    seen = returns_to_go(log.data, log.gamma)
    tail = np.clip(there[log.last] @ theta, seen.min(), seen.max())
    return log.discounted() + np.where(cut, left * tail, 0.0)


class Imitator:
    """Acts at random as the log does in the nearest states."""

    def __init__(self, states: Array, actions: Array, encode: Any, seed: int) -> None:
        self._index, self._actions = TreeIndex(np.ascontiguousarray(states)), actions
        self._encode, self._random = encode, np.random.default_rng(seed)
        self._count = min(NEIGHBORS, len(states))

    def act(self, observation: Any) -> Array:
        """Return [B] actions, or rows [B, Da]."""
        found, _ = self._index.query(self._encode(observation), self._count)
        picks = self._random.integers(self._count, size=len(found))
        actions: Array = self._actions[found[np.arange(len(found)), picks]]
        return actions
