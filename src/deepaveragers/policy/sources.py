"""The logged states in which each action was taken, searched by features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Array, Floats, Int64
from ..mdp.model import DacMdp
from ..neighbors.choice import serving_index
from ..neighbors.index import NeighborIndex
from ..parallel import available_threads


class SourceStates:
    """Source states by action; an action's index is built when it is first asked for.

    Args:
        mdp: whose transitions are searched.
    """

    def __init__(self, mdp: DacMdp) -> None:
        actions, count = mdp.transitions.actions, mdp.transitions.num_actions
        self._features = mdp.source_features
        self._members: list[Int64] = [np.flatnonzero(actions == a) for a in range(count)]
        self._indexes: dict[int, NeighborIndex] = {}
        self._threads = available_threads()

    @classmethod
    def known(cls, members: Sequence[Int64], indexes: Mapping[int, NeighborIndex]) -> SourceStates:
        """Return source states whose indexes are there, one for every action that was taken."""
        sources = cls.__new__(cls)
        sources._members, sources._indexes = list(members), dict(indexes)
        sources._threads = available_threads()
        return sources

    @property
    def members(self) -> tuple[Int64, ...]:
        """The transitions of each action, ascending."""
        return tuple(self._members)

    def index(self, action: int) -> NeighborIndex:
        """Return the index of an action that was taken."""
        if action not in self._indexes:
            self._indexes[action] = serving_index(self._features[self._members[action]])
        return self._indexes[action]

    def count(self, action: int) -> int:
        """Return how many logged transitions took the action."""
        return len(self._members[action])

    def nearest(self, features: Floats, action: int, k: int) -> tuple[Array, Array]:
        """Return transitions [B, k] that took the action, nearest first, and distances [B, k].

        Where there are fewer, the rest is (-1, inf).
        """
        members = self._members[action]
        if not len(members):
            shape = (len(features), k)
            return np.full(shape, -1, dtype=np.int64), np.full(shape, np.inf)
        found, distances = self.index(action).query(features, k, threads=self._threads)
        return np.where(found >= 0, members[found], -1), distances
