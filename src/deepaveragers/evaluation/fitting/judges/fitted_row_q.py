"""Fitted Q-evaluation where actions are rows: one basis over state and action together.

The equations are those of `judges.fitted_q`, with phi a basis of the standardised columns of both.
"""

from __future__ import annotations

import numpy as np

from ....arrays import Array, Float64
from ..folds import Log
from .action_inputs import action_inputs
from .basis import Basis, fit_basis
from .boosting import ErrorPredictor
from .fitted_q import MOST_PER_ACTION, RIDGE, ROWS_PER_FUNCTION, contributions
from .verdict import Actor, Opinion, Withheld, actions_of

MOST_FUNCTIONS = 400
"""A system of this size on 10,000 rows takes some 200 ms of one processor."""
FEWEST_FUNCTIONS = 10


class FittedRowQ:
    """Judges policies on one log; the states are vectors [N, D], the actions rows [N, Da]."""

    def __init__(
        self, log: Log, states: Array, next_states: Array, starts: Array, seed: int
    ) -> None:
        self._log, self._read = log, action_inputs(log.data)
        self._next, self._starts = next_states, starts
        self._living = np.flatnonzero(~log.data.terminations)
        functions = min(len(log.data) // ROWS_PER_FUNCTION, MOST_FUNCTIONS)
        both = self._joint(states, log.data.actions)
        self._predict_errors = ErrorPredictor(both, log.number, seed)
        self._both = fit_basis(both, max(functions, FEWEST_FUNCTIONS), seed)
        self._here = self._both(both)
        self._gram = self._here.T @ self._here
        self._reward = self._here.T @ log.data.rewards
        #: Functions of the state alone, which behaviour's own values are linear in.
        self.basis: Basis = fit_basis(states, min(max(functions, 3), MOST_PER_ACTION), seed)

    def judge(self, actor: Actor) -> Opinion:
        """Return what the policy earns from the log's starts."""
        log, data = self._log, self._log.data
        there = np.zeros_like(self._here)
        if len(self._living):
            taken = actions_of(actor, data.next_observations[self._living])
            there[self._living] = self._both(self._joint(self._next[self._living], taken))
        begun = actions_of(actor, data.observations[log.first])
        first = self._both(self._joint(self._starts, begun))
        matrix = self._gram - log.gamma * (self._here.T @ there)
        matrix[np.diag_indices(len(matrix))] += RIDGE * float(np.diag(self._gram).mean())
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return Withheld("its equations have no solution")
        theta = inverse @ self._reward
        residuals = data.rewards + log.gamma * (there @ theta) - self._here @ theta
        weights = self._here @ (inverse.T @ first.mean(axis=0))
        leverage = np.einsum("ns,ns->n", self._here @ inverse, self._here)
        return contributions(log, first @ theta, residuals, weights, leverage, self._predict_errors)

    def _joint(self, states: Array, actions: Array) -> Float64:
        return np.column_stack((states, self._read(actions)))
