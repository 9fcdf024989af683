"""Models and plans that were read: whether their parts can be what they say.

A bundle with right checksums may still be written by somebody else, by hand or on purpose. What
no compile and no solve could have made is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from ..arguments import choice, number, optional, whole_number
from ..arrays import Array, Bool
from ..data.transitions import Transitions
from ..errors import BundleError
from ..mdp.problem import pose
from ..neighbors.candidates import CandidateGraph
from ..neighbors.graph import NO_NEIGHBOR, NeighborGraph, SearchReport
from ..policy.policy import LookupName
from ..representation.encoder import Encoder, Standardize
from ..solvers.plan import Plan, Status
from .candidates import check_candidates

PLAN_NUMBERS = (
    "below",
    "above",
    "tolerance",
    "status",
    "residual",
    "sweeps",
    "seconds",
    "policy_below",
)
ROWS = 65_536
"""Rows that are looked at together."""
ROUNDING = 1e-9
"""By which, relative to it, a value may lie beyond its action values."""


def checked_report(settings: Mapping[str, Any]) -> SearchReport:
    """Return how a graph was searched."""
    report = SearchReport(**{**settings, "notes": tuple(settings["notes"])})
    if not all(isinstance(text, str) for text in (report.engine, *report.notes)):
        raise BundleError("its search is not described in words.")
    number("recall", report.recall, least=0.0, most=1.0)
    number("seconds", report.seconds, least=0.0)
    whole_number("peak_bytes", report.peak_bytes, least=0)
    return report


def check_graph(graph: NeighborGraph, data: Transitions, sources: Array, cores: Array) -> None:
    """Raise an error unless a graph and features fit the data."""
    rows = data.action_vectors
    size, actions = len(data), check_candidates(graph, data) if rows else data.num_actions
    whole = (
        graph.indices.ndim == 3
        and graph.indices.shape[:2] == (size, actions)
        and graph.indices.shape[2] > 0
        and graph.distances.shape == graph.indices.shape
        and graph.indices.dtype == np.int32
        and graph.distances.dtype == np.float32
        and sources.ndim == 2
        and sources.shape == cores.shape
        and sources.dtype == cores.dtype
        and sources.dtype.kind == "f"
        and len(sources) == size
    )
    if not whole:
        raise BundleError("its arrays do not fit together.")
    for start in range(0, size, ROWS):
        part = slice(start, start + ROWS)
        _check_lists(graph.indices[part], graph.distances[part], size)
        if isinstance(graph, CandidateGraph):
            _check_lists(graph.transitions[part, None], graph.gaps[part, None], size)
        if not (np.isfinite(sources[part]).all() and np.isfinite(cores[part]).all()):
            raise BundleError("a feature is not a finite number.")


def _check_lists(indices: Array, distances: Array, size: int) -> None:
    missing = indices == NO_NEIGHBOR
    if indices.min() < NO_NEIGHBOR or indices.max() >= size:
        raise BundleError("a neighbour lies outside of the data.")
    if not (distances >= 0).all():
        raise BundleError("a distance is negative or not a number.")
    if (np.isinf(distances) != missing).any() or (missing[:, :, :-1] & ~missing[:, :, 1:]).any():
        raise BundleError("a distance is there without its neighbour, or the other way round.")
    if (distances[:, :, :-1] > distances[:, :, 1:]).any():
        raise BundleError("neighbours are not in the order of their distances.")


def checked_numbers(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a plan."""
    amounts = ("below", "above", "residual", "seconds")
    policy_below = settings.get("policy_below")  # older plans have none
    return {
        **{name: number(name, settings[name], least=0.0) for name in amounts},
        "tolerance": number("tolerance", settings["tolerance"], above=0.0),
        "status": choice("status", settings["status"], get_args(Status)),
        "sweeps": whole_number("sweeps", settings["sweeps"], least=0),
        "policy_below": optional(number, "policy_below", policy_below, least=0.0),
        "k_pi": whole_number("k_pi", settings.get("k_pi", Plan.k_pi)),  # nor these
        "lookup": choice("lookup", settings.get("lookup", Plan.lookup), get_args(LookupName)),
    }


def check_plan(plan: Plan) -> None:
    """Raise an error unless values are those of some plan of the model and the objective."""
    mdp, values, q_values = plan.mdp, plan.values, plan.q_values
    if values.shape != (len(mdp),) or q_values.shape != mdp.graph.indices.shape[:2]:
        raise BundleError("its values do not fit its model.")
    if values.dtype != np.float64 or q_values.dtype != np.float64:
        raise BundleError("its values are not float64 numbers.")
    if not np.isfinite(values).all():
        raise BundleError("a value is not a finite number.")
    ended, available = mdp.transitions.terminations, _available(plan)
    if (values[ended] != 0.0).any() or (q_values[ended] != 0.0).any():
        raise BundleError("an ended episode has a value.")
    if (np.isfinite(q_values) != (available | ended[:, None])).any() or (q_values == np.inf).any():
        raise BundleError("the value of an action is missing, or of one that is not there.")
    largest = q_values.max(axis=1)
    smallest = np.where(available, q_values, np.inf).min(axis=1)
    slack = ROUNDING * np.abs(values)
    living = ~ended
    if ((values > largest + slack) | (values < smallest - slack))[living].any():
        raise BundleError("a value is not that of its actions.")


def _available(plan: Plan) -> Bool:
    """Return [N, A] bool: whether the objective leaves a state an action that the data has."""
    model = pose(plan.mdp, plan.objective)
    there: Bool = model.indices[:, :, 0] != NO_NEIGHBOR
    return there & model.allowed


def check_encoder(encoder: Encoder | None, shape: tuple[int, ...], features: int) -> None:
    """Raise an error unless stored averages are those of columns of the shape that data have."""
    if not isinstance(encoder, Standardize):
        return
    columns = math.prod(shape)
    for array in (encoder.mean, encoder.scale):
        assert array is not None
        if array.shape != (columns,) or array.dtype != np.float64 or columns != features:
            raise BundleError("its encoder does not fit its data.")
        if not np.isfinite(array).all():
            raise BundleError("its encoder has numbers that are not finite.")
    if encoder.scale is not None and (encoder.scale < 0.0).any():
        raise BundleError("its encoder has a negative scale.")
