"""Fitted Q-evaluation in closed form, with its sampling error.

With phi(s, a) a basis per action, Q(s, a) = phi(s, a).theta solves the projected equation

    sum_i phi_i (r_i + gamma phi'_i.theta - phi_i.theta) = 0,   phi'_i = phi(s'_i, pi(s'_i)),

so theta = M^-1 sum_i phi_i r_i with M = sum_i phi_i (phi_i - gamma phi'_i)^T + ridge; phi' = 0
where the episode ended. The value at the starts, mu.theta with mu the mean of phi(s_0, pi(s_0)),
is linear in the residuals: with u = M^-T mu and delta_i the residual of row i, episode e
contributes

    V(s_0e) + E sum_{i in e} (phi_i.u) delta_i,

E the number of episodes. The weights phi_i.u estimate how much more often the policy is at row i
than the log; so an error of Q is corrected where the weights are right (doubly robust), and the
scatter of the contributions is the standard error (the sandwich). Residuals are divided by
1 - leverage, as small samples need.

Where trees, grown from other episodes, predict residuals, the basis cannot express Q; the sum of
|(phi_i.u) b_i|, b_i what they predict of row i, bounds what that does to the value, and is added
to the error.

The policy must come from other episodes. What is assumed: the basis can express Q nearly, the
state is Markov, and the log has what the policy does.

References: Lagoudakis, Parr, Least-squares policy iteration, 2003. Shi, Zhang, Lu, Song,
Statistical inference of the value function for reinforcement learning in infinite-horizon
settings, 2022. Uehara, Huang, Jiang, Minimax weight and Q-function learning, 2020.
"""

from __future__ import annotations

import numpy as np

from ....arrays import Array, Float64, Floats, Int64
from ..folds import Log
from .action_inputs import action_inputs
from .basis import Basis, fit_basis
from .boosting import ErrorPredictor
from .verdict import Actor, Opinion, Verdict, Withheld, actions_of, effective_number

ROWS_PER_FUNCTION = 15
MOST_FUNCTIONS = 600
"""Over all actions: a system of this size takes some 20 ms."""
MOST_PER_ACTION = 100
FEWEST_PER_ACTION = 3
RIDGE = 1e-3
"""Relative to the mean square of a function."""
HIGHEST_LEVERAGE = 0.9


class FittedQ:
    """Judges policies on one log; the states are vectors [N, D]."""

    def __init__(
        self, log: Log, states: Array, next_states: Array, starts: Array, seed: int
    ) -> None:
        actions = log.data.num_actions
        self._log = log
        inputs = np.column_stack((states, action_inputs(log.data)(log.data.actions)))
        self._predict_errors = ErrorPredictor(inputs, log.number, seed)
        self._basis = fit_basis(states, functions_for(len(states), actions), seed)
        self._here = self._basis(states)
        self._there = self._basis(next_states)
        self._there[log.data.terminations] = 0.0
        self._first = self._basis(starts)
        self._living = np.flatnonzero(~log.data.terminations)
        self._rows = [np.flatnonzero(log.data.actions == a) for a in range(actions)]
        self._gram = [self._here[rows].T @ self._here[rows] for rows in self._rows]

    @property
    def basis(self) -> Basis:
        """The functions of a state."""
        return self._basis

    def judge(self, actor: Actor) -> Opinion:
        """Return what the policy earns from the log's starts."""
        data = self._log.data
        following = np.zeros(len(data), dtype=np.int64)
        following[self._living] = actions_of(actor, data.next_observations[self._living])
        first = actions_of(actor, data.observations[self._log.first])
        unseen = {a for a in np.unique(np.append(following, first)) if not len(self._rows[a])}
        if unseen:
            names = ", ".join(data.action_names[a] for a in sorted(unseen))
            return Withheld(f"the held-out episodes never take {names}")
        return self._solve(following, first)

    def _solve(self, following: Int64, first: Int64) -> Opinion:
        log, size = self._log, self._basis.size
        actions = np.asarray(log.data.actions, dtype=np.int64)
        blocks = range(log.data.num_actions)
        matrix = np.zeros((len(blocks) * size, len(blocks) * size))
        reward = np.zeros(len(matrix))
        for a in blocks:
            own, rows = slice(a * size, (a + 1) * size), self._rows[a]
            matrix[own, own] += self._gram[a]
            reward[own] = self._here[rows].T @ log.data.rewards[rows]
            for b in np.unique(following[rows]):
                taken = rows[following[rows] == b]
                other = slice(b * size, (b + 1) * size)
                matrix[own, other] -= log.gamma * (self._here[taken].T @ self._there[taken])
        diagonal = np.concatenate([np.diag(gram) for gram in self._gram])
        ridge = RIDGE * float(diagonal.mean())
        matrix[np.diag_indices(len(matrix))] += ridge
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return Withheld("its equations have no solution")
        theta = (inverse @ reward).reshape(len(blocks), size)
        starts = np.bincount(first, minlength=len(blocks))
        mean = np.concatenate([self._first[first == a].sum(axis=0) for a in blocks])
        weights_of = (inverse.T @ (mean / starts.sum())).reshape(len(blocks), size)
        values = np.einsum("es,es->e", self._first, theta[first])
        q_values = np.einsum("ns,ns->n", self._here, theta[actions])
        expected = np.einsum("ns,ns->n", self._there, theta[following])
        residuals = log.data.rewards + log.gamma * expected - q_values
        weights = np.einsum("ns,ns->n", self._here, weights_of[actions])
        leverage = self._leverage(inverse)
        return contributions(log, values, residuals, weights, leverage, self._predict_errors)

    def _leverage(self, inverse: Floats) -> Float64:
        size, found = self._basis.size, np.zeros(len(self._here))
        for a, rows in enumerate(self._rows):
            own = slice(a * size, (a + 1) * size)
            here = self._here[rows]
            found[rows] = np.einsum("ns,ns->n", here @ inverse[own, own], here)
        return found


def functions_for(rows: int, actions: int = 1) -> int:
    """Return how many functions of a state, for each of some actions, so many rows can fit."""
    functions = min(rows // ROWS_PER_FUNCTION, MOST_FUNCTIONS) // actions
    return max(FEWEST_PER_ACTION, min(functions, MOST_PER_ACTION))


def contributions(
    log: Log,
    values: Float64,
    residuals: Float64,
    weights: Float64,
    leverage: Float64,
    predict: ErrorPredictor,
) -> Opinion:
    """Return what each episode contributes to the value at the starts.

    Args:
        log: the held-out episodes.
        values: [E] V at their starts.
        residuals: [N] delta.
        weights: [N] phi.u.
        leverage: [N] of the rows in the solution.
        predict: of the same rows.
    """
    corrected = residuals / (1.0 - np.clip(leverage, 0.0, HIGHEST_LEVERAGE))
    shares = log.per_episode(weights * corrected)
    parts = values + len(log) * (shares - shares.mean())
    if not np.isfinite(parts).all():
        return Withheld("its equations have no finite solution")
    missed = len(weights) * float(np.abs(weights[predict.rows] * predict(residuals)).mean())
    return Verdict(parts, missed, effective_number(log.per_episode(weights)))
