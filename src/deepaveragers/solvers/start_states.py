"""Where episodes begin, and what a plan is worth there.

The first observations of episodes are no core states (nothing led to them), so their values
come from one step of look-ahead, the paper's Eq. 3, with the objective's own operator:

    Q(s0, a) = sum_j alpha_j (r_j - C d_j + gamma V(s'_j))

over the nearest transitions of each action; of the candidates, as `mdp.candidate_problem` says,
where actions are rows. An error e of V is an error of at most gamma e.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Array, Float32, Float64, Int32, Int64, frozen
from ..kernels.bellman import reference
from ..mdp.candidate_problem import candidate_search, permitted_candidates
from ..mdp.imitation import supported
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import allowed_at, pose, pose_at
from ..neighbors.candidates import Candidates
from ..neighbors.graph import NO_NEIGHBOR
from ..neighbors.tree import TreeIndex
from .greedy import greedy_chances
from .planned_actions import options_of


@dataclass(frozen=True, eq=False)
class Starts(ABC):
    """The start states of a compiled MDP; S of them.

    Attributes:
        mdp: the compiled MDP.
        rows: [S] int64, the transitions that begin the episodes.
    """

    mdp: DacMdp
    rows: Int64

    @property
    def observations(self) -> Array:
        """[S, ...] the first observations."""
        return self.mdp.transitions.observations[self.rows]

    @abstractmethod
    def q_values(self, objective: Objective, values: Float64) -> Float64:
        """Return [S, A] float64 for values [N] of the core states; -inf where unavailable.

        A mask given as an array speaks of core states only, and so does not apply here.
        """

    @abstractmethod
    def options(self, objective: Objective) -> Int32:
        """Return [S, A] or [1, A] what is chosen among; see `planned_actions.options_of`."""

    def values(self, objective: Objective, values: Float64) -> Float64:
        """Return [S] float64, what acting greedily is worth; NaN where no action is available."""
        q_values = self.q_values(objective, values)
        chances = greedy_chances(q_values, objective.slip)
        mean = (chances * np.where(chances > 0.0, q_values, 0.0)).sum(axis=1)
        return np.where(np.isfinite(q_values).any(axis=1), mean, np.nan)


@dataclass(frozen=True, eq=False)
class NumberedStarts(Starts):
    """Start states and their neighbours by numbered action, [S, A, K] as in the graph."""

    indices: Int32
    distances: Float32

    @cached_property
    def _counts(self) -> Int64:
        """[S, A] int64, how often each action was taken in logged states like these."""
        return self.mdp.imitation.counts(self.mdp.source_features[self.rows])

    def q_values(self, objective: Objective, values: Float64) -> Float64:
        """Return [S, A] float64, see `Starts`."""
        model = pose(self.mdp, objective)
        allowed = allowed_at(self.mdp, replace(objective, support=0.0), self.observations)
        if objective.support:
            allowed = supported(self._counts, allowed, objective.support)
        there = model._replace(indices=self.indices, distances=self.distances, allowed=allowed)
        return reference.average_outcomes(there, values)

    def options(self, objective: Objective) -> Int32:
        """Return [1, A], the numbers of the actions."""
        return options_of(self.mdp)


@dataclass(frozen=True, eq=False)
class CandidateStarts(Starts):
    """Start states and the candidates found for them, where actions are rows."""

    found: Candidates

    def q_values(self, objective: Objective, values: Float64) -> Float64:
        """Return [S, m] float64 of the candidates, see `Starts`."""
        model = pose_at(self.mdp, objective, self._permitted(objective), self.observations)
        return reference.average_outcomes(model, values)

    def options(self, objective: Objective) -> Int32:
        """Return [S, m], the candidates."""
        return self._permitted(objective).transitions

    def _permitted(self, objective: Objective) -> Candidates:
        features = self.mdp.source_features[self.rows]
        deciding = np.ones(len(self.rows), dtype=bool)
        return permitted_candidates(self.mdp, objective, self.found, features, deciding)


def start_states(mdp: DacMdp) -> Starts:
    """Find the first observation of every episode, and its neighbours."""
    data, k = mdp.transitions, mdp.graph.k
    rows = frozen(np.array([episode.start for episode in data.episodes()], dtype=np.int64))
    if data.action_vectors:
        return CandidateStarts(mdp, rows, candidate_search(mdp).find(mdp.source_features[rows]))
    shape = (len(rows), data.num_actions, k)
    indices = np.full(shape, NO_NEIGHBOR, dtype=np.int32)
    distances = np.full(shape, np.inf, dtype=np.float32)
    for action in range(data.num_actions):
        members = np.flatnonzero(data.actions == action)
        if len(members):
            index = TreeIndex(mdp.source_features[members])
            found, gaps = index.query(mdp.source_features[rows], k)
            indices[:, action] = np.where(found >= 0, members[found], NO_NEIGHBOR)
            distances[:, action] = gaps
    return NumberedStarts(mdp, rows, frozen(indices), frozen(distances))
