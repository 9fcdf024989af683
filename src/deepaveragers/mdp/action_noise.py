"""Noise on actions that are rows: what is done is near what was wanted.

With u the actions in units of their columns' range, and i, j the available candidates of a state,
who wants j does i with the chance w_ji, a Gaussian of deviation sigma over what the data did there:

    w_ji    proportional to exp(-|u_i - u_j|^2 / (2 sigma^2)),  sum_i w_ji = 1
    Q'(s, j) = sum_i w_ji Q(s, i),    V(s) = max_j Q'(s, j)

The kernels read it as ordinary rows. Candidate j leads to all that the candidates i lead to, with
the weights W = w_ji alpha_ik; their distances are written as 1 / W - 1e-5, which gives these
weights, and cost nothing; what the true ones cost, sum_i w_ji (penalty_i + C sum_k alpha_ik e_ik),
is the penalty of j. A certificate is about these rows: weights in float32 (6e-8 of their size),
those below 1e-9 left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Float64
from ..data.transitions import Transitions
from ..errors import InputError
from ..kernels.bellman import reference
from ..kernels.bellman.problem import DISTANCE_OFFSET, Problem
from ..neighbors.graph import NO_NEIGHBOR

LEAST_WEIGHT = 1e-9
"""Far below what the float32 distances of a graph tell apart."""
MOST_BYTES = 4e9
"""Of the rows, 8 bytes per outcome."""
ENTRIES = 4_000_000
"""Outcomes that are written at once."""


@dataclass(frozen=True, eq=False)
class ActionNoise:
    """A Gaussian on actions.

    Attributes:
        deviation: sigma, in units of the columns' ranges; above 0.
        ranges: [Da] float64.
    """

    deviation: float
    ranges: Float64

    def chances(self, actions: Array, available: Bool) -> Float64:
        """Return [B, m, m] w: what is done, for each that is wanted; 0 where one is not available.

        Args:
            actions: [B, m, Da] of the candidates.
            available: [B, m].
        """
        units = actions / (self.ranges * self.deviation)
        gaps = np.square(units[:, :, None] - units[:, None, :]).sum(axis=3)
        both = available[:, :, None] & available[:, None, :]
        raw = np.where(both, np.exp(-0.5 * gaps), 0.0)
        total = raw.sum(axis=2, keepdims=True)
        return np.asarray(raw / np.where(total > 0.0, total, 1.0))

    def mixed(self, q_values: Float64, actions: Array) -> Float64:
        """Return [B, m] Q' of Q, which is -inf where a candidate is not available."""
        available = np.isfinite(q_values)
        finite = np.where(available, q_values, 0.0)
        mean = (self.chances(actions, available) @ finite[:, :, None])[:, :, 0]
        return np.where(available, mean, -np.inf)


def ranges_of(data: Transitions) -> Float64:
    """Return [Da] float64: from the least to the most by bounds, or else as logged; 1 for none."""
    logged = np.ptp(np.asarray(data.actions, dtype=np.float64), axis=0)
    bounds = data.action_bounds
    width = logged if bounds is None else bounds[1] - bounds[0]
    width = np.where(np.isfinite(width), width, logged)
    return np.where(width > 0.0, width, 1.0)


def with_noise(problem: Problem, transitions: Array, actions: Array, noise: ActionNoise) -> Problem:
    """Return a problem of candidates as one whose actions have noise.

    Args:
        problem: without it.
        transitions: [N, m] the candidates.
        actions: [N, Da] of the transitions.
        noise: on them.
    """
    size, m, k = *transitions.shape, problem.k
    if problem.worst_case > 0.0:
        raise InputError("worst_case", "0 where actions have noise", problem.worst_case)
    if 8.0 * size * m * m * k > MOST_BYTES:
        raise InputError(
            "action_noise",
            f"0 where candidates x candidates x k x transitions exceeds {MOST_BYTES / 8:,.0f}",
            f"{m} x {m} x {k} x {size:,}",
            "Compile with fewer candidates, a smaller k or landing='own'.",
        )
    indices = np.empty((size, m, m * k), np.int32)
    distances = np.empty(indices.shape, np.float32)
    penalties = np.empty((size, m))
    step = max(1, ENTRIES // (m * m * k))
    for start in range(0, size, step):
        part = slice(start, start + step)
        one = _part(problem, part)
        chances = noise.chances(actions[transitions[part]], reference.available_actions(one))
        indices[part], distances[part], penalties[part] = _rows(one, chances)
    return problem._replace(
        indices=indices, distances=distances, penalties=penalties, k=m * k, cost=0.0, uniform=False
    )


def _part(problem: Problem, part: slice) -> Problem:
    """Return some states of a problem."""
    everywhere = len(problem.allowed) == 1
    return problem._replace(
        indices=problem.indices[part, :, : problem.k],
        distances=problem.distances[part, :, : problem.k],
        allowed=problem.allowed if everywhere else problem.allowed[part],
        penalties=problem.penalties[part],
    )


def _rows(problem: Problem, chances: Float64) -> tuple[Array, Array, Float64]:
    """Return the outcomes [B, m, m k], what gives their weights, and penalties [B, m]."""
    size, m, k = problem.indices.shape
    own = reference.weights(problem)
    there = problem.indices >= 0
    weights = (chances[:, :, :, None] * own[:, None]).reshape(size, m, m * k)
    outcomes = np.broadcast_to(problem.indices[:, None], (size, m, m, k)).reshape(weights.shape)
    kept = (weights >= LEAST_WEIGHT) & (outcomes >= 0)
    far = np.where(kept, 1.0 / np.where(kept, weights, 1.0) - DISTANCE_OFFSET, np.inf)
    order = np.argsort(far, axis=2, kind="stable")  # as in a graph: the nearest first
    indices = np.where(kept, outcomes, np.int32(NO_NEIGHBOR))
    paid = (own * np.where(there, problem.distances, 0.0)).sum(axis=2) * problem.cost
    penalties = (chances @ (problem.penalties + paid)[:, :, None])[:, :, 0]
    near = np.take_along_axis(far, order, axis=2).astype(np.float32)
    return np.take_along_axis(indices, order, axis=2), near, penalties
