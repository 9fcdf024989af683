"""The states that a statement about a plan speaks of.

They are the core states that go on. One-step data, in which every transition ends its episode,
have none: there decisions are made in the logged states themselves, each seen from all other
transitions, for its own would always be at distance 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Float64, Int64
from ..errors import InputError
from ..kernels.bellman import reference
from ..kernels.bellman.problem import Problem
from ..mdp.problem import allowed_at, pose
from ..policy.sources import SourceStates
from ..solvers.plan import Plan


@dataclass(frozen=True, eq=False)
class DecisionStates:
    """S states with their neighbours and planned values.

    Attributes:
        rows: [S] int64, transitions that the states belong to.
        observations: [S, ...] the states.
        alphas: [S, A, k] float64, weights of the neighbours.
        distances: [S, A] float64, weighted distances to the data.
        available: [S, A] bool.
        q_values: [S, A] float64, -inf where not available.
        values: [S] float64.
        one_step: whether nothing follows any decision.
    """

    rows: Int64
    observations: Array
    alphas: Float64
    distances: Float64
    available: Bool
    q_values: Float64
    values: Float64
    one_step: bool


def decision_states(plan: Plan) -> DecisionStates:
    """Return the states in which a plan decides."""
    data = plan.mdp.transitions
    model = pose(plan.mdp, plan.objective)
    living = np.flatnonzero(~data.terminations)
    if len(living):
        there = model._replace(
            indices=model.indices[living],
            distances=model.distances[living],
            allowed=np.broadcast_to(model.allowed, plan.q_values.shape)[living],
        )
        seen = data.next_observations[living]
        return _states(there, living, seen, plan.q_values[living], plan.values[living])
    there = _seen_from_others(plan, model)
    q_values = reference.average_outcomes(there, plan.values)
    known = np.flatnonzero(np.isfinite(q_values).any(axis=1))
    if not len(known):
        raise InputError("plan", "of data with two transitions of an action that it allows", "none")
    q_values = q_values[known]
    there = there._replace(
        indices=there.indices[known],
        distances=there.distances[known],
        allowed=np.broadcast_to(there.allowed, (len(data), data.num_actions))[known],
    )
    values = q_values.max(axis=1)
    return _states(there, known, data.observations[known], q_values, values, one_step=True)


def _states(
    model: Problem,
    rows: Int64,
    observations: Array,
    q_values: Float64,
    values: Float64,
    *,
    one_step: bool = False,
) -> DecisionStates:
    alphas = reference.weights(model)
    there = model.indices[:, :, : model.k] >= 0
    gaps = np.where(there, model.distances[:, :, : model.k], 0)
    return DecisionStates(
        rows=rows,
        observations=observations,
        alphas=alphas,
        distances=(alphas * gaps).sum(axis=2),
        available=reference.available_actions(model),
        q_values=q_values,
        values=values,
        one_step=one_step,
    )


def _seen_from_others(plan: Plan, model: Problem) -> Problem:
    """Return the model with the logged states in place of core states, each without itself."""
    mdp = plan.mdp
    sources, k = SourceStates(mdp), model.k
    parts = []
    for action in range(mdp.transitions.num_actions):
        rows, gaps = sources.nearest(mdp.source_features, action, k + 1)
        own = rows == np.arange(len(mdp))[:, None]
        # The own transition goes last, and with it all that is beyond k.
        order = np.argsort(own, axis=1, kind="stable")[:, :k]
        parts.append([np.take_along_axis(one, order, axis=1) for one in (rows, gaps)])
    indices, distances = (np.stack(one, axis=1) for one in zip(*parts, strict=True))
    allowed = allowed_at(mdp, plan.objective, mdp.transitions.observations)
    return model._replace(indices=indices, distances=distances, allowed=allowed)
