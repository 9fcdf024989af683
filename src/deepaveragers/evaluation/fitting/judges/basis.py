"""Functions of a state, by which values are linear: columns, and random ramps of them.

With z the standardised observation, clipped: 1, z, and max(0, w.z + b) for random directions w
and offsets b, half of them along a single column. They depend on the seed and the columns' scale
alone, never on rewards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array, Float64

FARTHEST = 4.0
"""Standard deviations beyond which a column is clipped."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Fitted functions of a state.

    Attributes:
        mean: [D] float64, of the columns.
        scale: [D] float64, 1 / deviation, 0 for a constant column.
        directions: [D, F] float64.
        offsets: [F] float64.
    """

    mean: Float64
    scale: Float64
    directions: Float64
    offsets: Float64

    @property
    def size(self) -> int:
        """Number of functions."""
        return 1 + len(self.mean) + len(self.offsets)

    def __call__(self, states: Array) -> Float64:
        """Return [B, size] for states [B, D]."""
        columns = np.clip((states - self.mean) * self.scale, -FARTHEST, FARTHEST)
        ramps = np.maximum(columns @ self.directions + self.offsets, 0.0)
        return np.concatenate((np.ones((len(columns), 1)), columns, ramps), axis=1)


def fit_basis(states: Array, functions: int, seed: int) -> Basis:
    """Return a basis of about `functions` functions for states like these [N, D]."""
    generator = np.random.default_rng(seed)
    mean = states.mean(axis=0, dtype=np.float64)
    deviation = states.std(axis=0, dtype=np.float64)
    constant = deviation <= 1e-12 * np.abs(mean)
    scale = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, deviation))
    dimensions = states.shape[1]
    ramps = max(0, functions - 1 - dimensions)
    directions = generator.normal(size=(dimensions, ramps))
    directions /= np.maximum(np.linalg.norm(directions, axis=0), 1e-12)
    # Every other one runs along a single column, as thresholds do.
    varied = generator.permutation(np.flatnonzero(scale > 0.0))
    if len(varied):
        along = np.eye(dimensions)[:, varied[np.arange(0, ramps, 2) // 2 % len(varied)]]
        directions[:, ::2] = np.where(generator.random(along.shape[1]) < 0.5, -1.0, 1.0) * along
    # An edge lies where data are: through a random one of them.
    edges = np.clip((states - mean) * scale, -FARTHEST, FARTHEST)
    edges = edges[generator.integers(len(edges), size=ramps)]
    return Basis(mean, scale, directions, -(edges * directions.T).sum(axis=1))
