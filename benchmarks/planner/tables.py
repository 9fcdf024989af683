"""A compiled MDP as plain tables, for solvers that know nothing of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

import deepaveragers as da

OFFSET = 1e-5


@dataclass(frozen=True, eq=False)
class Tables:
    """One MDP with cost 1 and inverse-distance weights; a state that ended earns nothing.

    Attributes:
        successors: [N, A, K] int32.
        weights: [N, A, K] float64, rows sum to 1; to 0 where the episode ended.
        rewards: [N, A] float64, R(s, a).
        ended: [N] bool.
    """

    successors: np.ndarray
    weights: np.ndarray
    rewards: np.ndarray
    ended: np.ndarray

    @classmethod
    def of(cls, mdp: da.DacMdp) -> Tables:
        """Return the tables of an MDP in which every action has all its neighbours."""
        data, graph = mdp.transitions, mdp.graph
        assert (graph.indices >= 0).all()
        ended = np.asarray(data.terminations)
        distances = graph.distances.astype(np.float64)
        weights = 1.0 / (distances + OFFSET)
        weights /= weights.sum(axis=2, keepdims=True)
        weights[ended] = 0.0
        rewards = (weights * (data.rewards[graph.indices] - distances)).sum(axis=2)
        return cls(np.asarray(graph.indices), weights, rewards, ended)

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.ended)

    @property
    def one_step(self) -> float:
        """|T 0|, what tolerances are relative to."""
        return float(np.abs(self.rewards.max(axis=1)).max())

    @cached_property
    def sparse(self) -> sp.csr_matrix:
        """[N * A, N] transition matrix in CSR."""
        size, actions, k = self.successors.shape
        starts = np.arange(0, size * actions * k + 1, k, dtype=np.int32)
        return sp.csr_matrix(
            (self.weights.ravel(), self.successors.ravel(), starts), shape=(size * actions, size)
        )
