"""A simulator without networks: local linear dynamics of the log.

The state z (standardised observations) moves continuously:

    (z' - z, r) = b(z, a) + e

b is a locally weighted linear regression of the logged steps (z'_j - z_j, r_j) on z_j over the
nearest transitions of the action, with tricube weights and a slight ridge; e is the residual
of one of the nearest few, drawn by weight. Their sum stays between the least and the largest of
these transitions: lines may run beyond all that was seen. Where actions are rows, their
standardised columns stand beside z, in the regression and in what is near. The episode ends with
the weighted share of ended core states among those nearest to z'.

Nothing is believed far from the data: where the mean distance to the nearest transitions is
more than `TRUST` times the largest among left-out states of the data, the episode stops, worth
the worst discounted return of the log from there on.

References: Atkeson, Moore, Schaal, Locally weighted learning, 1997; Kidambi et al., MOReL,
2020 (unknown states absorb).
"""

from __future__ import annotations

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from ....data.transitions import Transitions
from ....neighbors.tree import TreeIndex
from .action_inputs import action_inputs
from .playing import Weights

REGRESSED = 25
"""Transitions in a regression, or three per dimension where that is more."""
NEAREST = 5
RIDGE = 1e-3
TRUST = 2.0
SAMPLE = 2_000


class LocalSimulator:
    """Local linear dynamics of one dataset with vector observations."""

    members = 1

    def __init__(self, data: Transitions) -> None:
        sources = data.observations.reshape(len(data), -1).astype(np.float64)
        cores = data.next_observations.reshape(len(data), -1).astype(np.float64)
        self._data, self._mean, self._deviation = data, sources.mean(axis=0), sources.std(axis=0)
        constant = self._deviation <= 1e-12 * np.abs(self._mean)
        self._scale = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, self._deviation))
        self._sources = (sources - self._mean) * self._scale
        cores = (cores - self._mean) * self._scale
        self._steps = np.column_stack((cores - self._sources, data.rewards))
        self._vectors = action_inputs(data) if data.action_vectors else None
        if self._vectors is None:
            self._points = self._sources
            self._rows = [np.flatnonzero(data.actions == a) for a in range(data.num_actions)]
        else:
            self._points = np.column_stack((self._sources, self._vectors(data.actions)))
            self._rows = [np.arange(len(data))]
        self._indexes = [TreeIndex(self._points[rows]) for rows in self._rows]
        self._cores = TreeIndex(cores)
        self._limit = TRUST * max(map(self._largest_gap, range(len(self._rows))))

    @property
    def weights(self) -> Weights:
        """None: the log itself is the model."""
        return {}

    def _largest_gap(self, action: int) -> float:
        rows = self._rows[action]
        picks = rows[np.random.default_rng(0).permutation(len(rows))[:SAMPLE]]
        if len(rows) < 2:
            return 0.0
        count = min(NEAREST + 1, len(rows))
        _, gaps = self._indexes[action].query(self._points[picks], count)
        return float(gaps[:, 1:].mean(axis=1).max())

    def states(self, observations: Array) -> Float64:
        """Return z [B, D]."""
        flat = observations.reshape(len(observations), -1)
        return np.asarray((flat - self._mean) * self._scale, dtype=np.float64)

    def observations(self, states: Float64) -> Array:
        """Return observations [B, ...] as in the data."""
        flat = states * self._deviation + self._mean
        shape = (len(states), *self._data.observation_shape)
        return flat.reshape(shape).astype(self._data.observations.dtype)

    def step(
        self, states: Float64, actions: Array, member: Int64, draws: Float64
    ) -> tuple[Float64, Float64, Bool, Bool]:
        """Return next states, rewards, whether ended, whether believed."""
        points = states
        if self._vectors is not None:
            points = np.column_stack((states, self._vectors(actions)))
            actions = np.zeros(len(states), np.int64)
        moved = np.zeros((len(states), states.shape[1] + 1))
        near = np.full(len(states), np.inf)
        for action, rows in enumerate(self._rows):
            taken = np.flatnonzero(actions == action)
            if len(taken) and len(rows):
                moved[taken], near[taken] = self._regress(action, points[taken], draws[taken, 0])
        following = states + moved[:, :-1]
        found, gaps = self._cores.query(following, min(NEAREST, len(self._data)))
        weights = 1.0 / (gaps + 1e-5)
        ending = (weights * self._data.terminations[found]).sum(axis=1) / weights.sum(axis=1)
        return following, moved[:, -1], draws[:, -1] < ending, near <= self._limit

    def _regress(self, action: int, points: Float64, draws: Float64) -> tuple[Float64, Float64]:
        """Return steps and rewards [B, D + 1] of one action, and the distance to the data."""
        rows, size = self._rows[action], points.shape[1]
        count = min(max(REGRESSED, 3 * (size + 1)), len(rows))
        found, gaps = self._indexes[action].query(points, count)
        near = rows[found]
        weights = (1.0 - (gaps / (1.0001 * gaps[:, -1:] + 1e-12)) ** 3) ** 3
        inputs = np.ones((*gaps.shape, size + 1))
        inputs[:, :, 1:] = self._points[near] - points[:, None]
        weighted = (inputs * weights[:, :, None]).transpose(0, 2, 1)
        matrix = weighted @ inputs
        diagonal = np.arange(1, size + 1)
        slopes = np.trace(matrix[:, 1:, 1:], axis1=1, axis2=2)[:, None] / size
        matrix[:, diagonal, diagonal] += RIDGE * slopes + 1e-12
        fit = np.linalg.solve(matrix, weighted @ self._steps[near])
        shares = np.cumsum(weights[:, :NEAREST], axis=1)
        drawn = (shares < draws[:, None] * shares[:, -1:]).sum(axis=1)
        which = np.arange(len(points)), drawn
        fitted = np.einsum("bd,bde->be", inputs[which], fit)
        moved = fit[:, 0] + self._steps[near[which]] - fitted
        known = self._steps[near]
        return np.clip(moved, known.min(axis=1), known.max(axis=1)), gaps[:, :NEAREST].mean(axis=1)
