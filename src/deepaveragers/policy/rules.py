"""How a compact policy comes to Q-values: the acting half of the lookups, on arrays alone.

The equations are those of `policy.lookup`; the same numbers come out, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Array, Bool, Float64, Floats, Int32
from ..kernels.bellman import reference
from ..kernels.bellman.problem import Problem
from ..mdp.imitation import SIMILAR_CASES, supported, times_taken
from ..neighbors.index import NeighborIndex
from ..parallel import available_threads
from ..representation.own_policy import OwnPolicy
from .averaging import average_of, only, partly_masked, weights_of
from .sources import SourceStates


class Rule(Protocol):
    """One way to Q-values of any state."""

    def judge(self, features: Floats) -> tuple[Float64, Float64 | None]:
        """Return Q-values [B, A] of features [B, D], and distances [B, k] if support needs them.

        None stands for distances to other states than those that support is about.
        """


@dataclass(frozen=True, eq=False)
class Allowed:
    """Which actions a state may take.

    Attributes:
        fixed: [1, A] bool, those that are not forbidden.
        share: of the likeliest action's support that an action must have; 0 asks for none.
        index: over the logged states, where a share is asked for.
        actions: [N] int32, what was done in the logged states.
        own: what the network of the representation would do, where that alone is allowed.
    """

    fixed: Bool
    share: float = 0.0
    index: NeighborIndex | None = None
    actions: Int32 | None = None
    own: OwnPolicy | None = None

    @property
    def varies(self) -> bool:
        """Whether it depends on the state."""
        return self.own is not None or self.share > 0.0

    def at(self, features: Floats) -> Bool:
        """Return [B, A], or [1, A] where all states have the same actions."""
        if self.own is not None:
            return self.own.taken(features)
        if self.index is None or self.actions is None:
            return self.fixed
        cases = min(SIMILAR_CASES, len(self.actions))
        rows = self.index.query(features, cases, threads=available_threads())[0]
        counts = times_taken(self.actions[rows], self.fixed.shape[1])
        return supported(counts, self.fixed, self.share)


class NearestRule:
    """Q-values by the nearest core states that go on.

    Args:
        index: over those states.
        q_values: [L, A] float64 of those states.
        k: neighbours to average, at most L.
        weighting: "inverse" or "uniform".
        allowed: which actions a state may take.
    """

    def __init__(
        self, index: NeighborIndex, q_values: Float64, k: int, weighting: str, allowed: Allowed
    ) -> None:
        self.index, self.q_values, self.k = index, q_values, k
        self.weighting, self.allowed = weighting, allowed
        self._partly_masked = partly_masked(q_values)
        self._threads = available_threads()

    def judge(self, features: Floats) -> tuple[Float64, Float64 | None]:
        """Return Q-values [B, A] and the distances [B, k] of the states that they come from."""
        rows, distances = self.index.query(features, self.k, threads=self._threads)
        weights = weights_of(distances, self.weighting)
        found = average_of(weights, self.q_values[rows], masked=self._partly_masked)
        if self.allowed.varies:
            found = only(found, self.allowed.at(features))
        return found, distances


class LookaheadRule:
    """Q-values by one step through the nearest transitions of each action.

    Args:
        sources: the logged states by action.
        problem: the objective's numbers and arrays of all transitions, without a graph.
        values: [N] float64 of their core states.
        k: transitions to average of each action.
        allowed: which actions a state may take.
    """

    def __init__(
        self, sources: SourceStates, problem: Problem, values: Float64, k: int, allowed: Allowed
    ) -> None:
        self.sources, self.problem, self.values = sources, problem, values
        self.k, self.allowed = k, allowed

    def judge(self, features: Floats) -> tuple[Float64, Float64 | None]:
        """Return Q-values [B, A]; support is about other states."""
        actions = range(len(self.sources.members))
        found = [self.sources.nearest(features, action, self.k) for action in actions]
        indices, distances = (np.stack(parts, axis=1) for parts in zip(*found, strict=True))
        problem = self.problem._replace(
            indices=indices, distances=distances, k=self.k, allowed=self.allowed.at(features)
        )
        return reference.average_outcomes(problem, self.values), None


def without_graph(problem: Problem) -> Problem:
    """Return a problem whose neighbours are those of other states, given when it is asked."""
    actions = problem.indices.shape[1]
    nothing: Array = np.empty((0, actions, 0), np.int32)
    return problem._replace(
        indices=nothing,
        distances=nothing.astype(np.float32),
        allowed=np.ones((1, actions), bool),
        policy=np.empty((0, actions)),
    )
