"""How far away the data are that planned actions rest on."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64
from ..kernels.bellman import reference
from ..mdp.candidate_problem import candidate_graph
from ..solvers.plan import Plan


def planned_distances(plan: Plan) -> Float64:
    """Return [N] the weighted distance to the data of the planned action; NaN where it has none.

    Where actions are rows it is the gap to the candidate, and then the weighted distance of the
    states that it leads to.
    """
    mdp, taken = plan.mdp, plan.q_values.argmax(axis=1)
    rows, ended = np.arange(len(taken)), mdp.transitions.terminations
    k = mdp.graph.k if plan.objective.k is None else plan.objective.k
    indices = mdp.graph.indices[rows, taken, :k][:, None]
    distances = mdp.graph.distances[rows, taken, :k][:, None]
    shares = reference.weights_of(indices, distances, plan.objective.weighting == "uniform")
    found = (shares * np.where(indices >= 0, distances, 0.0)).sum(axis=(1, 2))
    if mdp.transitions.action_vectors:
        found += candidate_graph(mdp).gaps[rows, taken]
    return np.where(ended | (indices[:, 0, 0] < 0), np.nan, found)
