"""What plans do in core states, whatever kind their actions are.

What is chosen among are *options*: numbers of actions or, where actions are rows, the transitions
whose actions they are. An option means the same in every plan of a model; the place of a candidate
does not, since a plan that forbids some has others in their place.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Bool, Float64, Int32, Int64
from ..data.transitions import Transitions
from ..mdp.candidate_problem import candidate_graph
from ..mdp.model import DacMdp
from .plan import Plan

OTHER = 0.05
"""Share of its range by which a column of an action has to differ to make it another action."""
NONE = -1
"""What is planned where the episode ended."""


def options_of(mdp: DacMdp) -> Int32:
    """Return [N, A] or, where all states have the same, [1, A]: what the core states choose among.

    `NO_NEIGHBOR` where a state has fewer candidates.
    """
    if mdp.transitions.action_vectors:
        return candidate_graph(mdp).transitions
    return np.arange(mdp.transitions.num_actions, dtype=np.int32)[None]


def planned_actions(plan: Plan) -> Int64:
    """Return [N] int64, the planned option of every core state; `NONE` where the episode ended."""
    best = plan.q_values.argmax(axis=1)
    return np.where(plan.mdp.transitions.terminations, NONE, taken(options_of(plan.mdp), best))


def taken(options: Int32, places: Int64) -> Int64:
    """Return [S] the options at some places [S] of options [S, A] or [1, A]."""
    rows = np.arange(len(places)) if len(options) > 1 else np.zeros(len(places), dtype=np.int64)
    return options[rows, places].astype(np.int64)


def places_among(options: Int32, wanted: Int64) -> tuple[Int64, Bool]:
    """Return [S] the places of wanted options [S] among [S, A] or [1, A]; and whether there."""
    alike = options == wanted[:, None]
    return alike.argmax(axis=1), alike.any(axis=1)


def numbers_of(data: Transitions, planned: Int64) -> Float64:
    """Return [S, Da] float64, the rows of planned options [S]; NaN where there is none."""
    numbers = data.actions[planned].astype(np.float64)
    numbers[planned < 0] = np.nan
    return numbers


def option_text(data: Transitions, option: int) -> str:
    """Return an option in words: the name of an action, or the numbers of a row."""
    return data.action_text(option) if data.action_vectors else data.action_names[option]


def action_spans(data: Transitions) -> Float64:
    """Return [2, Da] float64: the bounds of the actions' columns, or what the data have of them."""
    spans = np.stack([data.actions.min(axis=0), data.actions.max(axis=0)]).astype(np.float64)
    if data.action_bounds is None:
        return spans
    return np.where(np.isfinite(data.action_bounds), data.action_bounds, spans)


def steps_apart(data: Transitions, one: Array, two: Array) -> Int64:
    """Return [S, Da] int64 of rows: 1 where a column of `two` is larger, -1 smaller, 0 alike.

    Alike are continuous numbers within `OTHER` of the column's range, and equal whole numbers.
    """
    low, high = action_spans(data)
    least = OTHER * (high - low) if data.actions.dtype.kind == "f" else np.zeros(len(low))
    difference = two - one
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(difference) > least, np.sign(difference), 0.0).astype(np.int64)


def others(data: Transitions, one: Int64, two: Int64) -> Bool:
    """Return [S] bool, whether two planned options [S] are different actions."""
    if not data.action_vectors:
        return np.asarray(one != two)
    apart = steps_apart(data, numbers_of(data, one), numbers_of(data, two))
    return np.asarray(apart.any(axis=1))
