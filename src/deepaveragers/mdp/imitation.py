"""What the data do in states like a given one, and which actions that supports.

With n_a(s) the number of times that action a was taken in the m logged states most like s
(m = 31, nearest in the representation, ties by the order of the data), n_a(s) / m imitates the
behaviour that was logged. An action has support p at s if

    n_a(s) >= p max_b n_b(s),    b over the actions that are allowed at s.

The likeliest allowed action always has it, so no state loses all its actions; where none of
them was ever taken, all have it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Bool, Floats, Int32, Int64, frozen
from ..neighbors.choice import serving_index
from ..neighbors.features import Features
from ..neighbors.index import NeighborIndex
from ..neighbors.search import build_graph
from ..parallel import available_threads

SIMILAR_CASES = 31
"""m: logged states that are looked at; odd, and enough to tell 3 % from 10 %."""


class Imitation:
    """How often each action was taken in the logged states most like any state.

    Args:
        source_features: [N, D] of the logged states.
        core_features: [N, D] of the core states.
        actions: [N] int32, taken in the logged states.
        num_actions: A.
    """

    def __init__(
        self, source_features: Floats, core_features: Floats, actions: Int32, num_actions: int
    ) -> None:
        self.cases = min(SIMILAR_CASES, len(actions))
        self._source = source_features
        self._core = core_features
        self._actions = actions
        self._num_actions = num_actions

    @cached_property
    def core_counts(self) -> Int64:
        """[N, A] int64, n_a of every core state; searched when first asked for."""
        alike = np.zeros(len(self._actions), dtype=np.int32)
        features = Features(self._source, self._core)
        found = build_graph(features, alike, 1, self.cases)
        return frozen(self._count(found.indices[:, 0]))

    def counts(self, features: Floats) -> Int64:
        """Return [B, A] int64, n_a of states with features [B, D]."""
        return self._count(self.similar(features))

    def similar(self, features: Floats) -> Int32:
        """Return [B, m] int32, the logged states most like states with features [B, D]."""
        return self.index.query(features, self.cases, threads=available_threads())[0]

    @cached_property
    def index(self) -> NeighborIndex:
        """Over the logged states."""
        return serving_index(self._source)

    def _count(self, rows: Int32) -> Int64:
        return times_taken(self._actions[rows], self._num_actions)


def times_taken(actions: Int32, num_actions: int) -> Int64:
    """Return [B, A] int64: how often each action is among those [B, m] of some logged states."""
    return np.stack([(actions == a).sum(axis=1) for a in range(num_actions)], axis=1)


def supported(counts: Int64, allowed: Bool, share: float) -> Bool:
    """Return [B, A] bool: which of the allowed actions have at least this support.

    Args:
        counts: [B, A] n_a.
        allowed: [B, A] or [1, A].
        share: p.
    """
    likeliest = np.where(allowed, counts, 0).max(axis=1, keepdims=True)
    return allowed & (counts >= share * likeliest)
