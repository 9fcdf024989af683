"""A compiled MDP as plain tables, for solvers that know nothing of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

import deepaveragers as da

from .oracle import OFFSET

BLOCK = 100_000
"""States whose rows are made at once: bounds the memory beside the tables."""


@dataclass(frozen=True, eq=False)
class Tables:
    """One MDP with inverse-distance weights, every row a distribution.

    A state where the episode ended leads to itself, for nothing.

    Attributes:
        successors: [N, A, K] int32.
        weights: [N, A, K] float64, rows sum to 1.
        rewards: [N, A] float64, R(s, a).
    """

    successors: np.ndarray
    weights: np.ndarray
    rewards: np.ndarray

    @classmethod
    def of(cls, mdp: da.DacMdp, cost: float) -> Tables:
        """Return the tables of an MDP in which every action has all its neighbours."""
        data, graph = mdp.transitions, mdp.graph
        successors = np.array(graph.indices)
        assert successors.min() >= 0
        weights = np.empty(successors.shape)
        rewards = np.empty(successors.shape[:2])
        for begin in range(0, len(mdp), BLOCK):
            rows = slice(begin, begin + BLOCK)
            distances = graph.distances[rows].astype(np.float64)
            share = 1.0 / (distances + OFFSET)
            share /= share.sum(axis=2, keepdims=True)
            gains = data.rewards[successors[rows]] - cost * distances
            weights[rows], rewards[rows] = share, (share * gains).sum(axis=2)
        ended = np.flatnonzero(data.terminations)
        successors[ended] = ended[:, None, None]
        rewards[ended] = 0.0
        return cls(successors, weights, rewards)

    @property
    def sparse(self) -> sp.csr_matrix:
        """[N * A, N] transition matrix in CSR."""
        size, actions, k = self.successors.shape
        starts = np.arange(0, size * actions * k + 1, k, dtype=np.int32)
        return sp.csr_matrix(
            (self.weights.ravel(), self.successors.ravel(), starts), shape=(size * actions, size)
        )
