"""One byte per core state: what the map shows by colour."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..arguments import choice
from ..arrays import Array, Float64, Int64
from ..data.transitions import Transitions
from ..errors import InputError
from ..mdp.problem import rewards_of
from ..solvers.plan import Plan
from ..solvers.planned_actions import action_spans, numbers_of, others, planned_actions
from .axes import spread_rows
from .columns import action_labels
from .messages import Category, Legend
from .planned_distances import planned_distances

Bytes = NDArray[np.uint8]
Coloured = tuple[Legend, Bytes]
MISSING = 255
"""The byte of a state that has no value."""
STEPS = 254
"""The byte of the highest value; the lowest is 0."""
SAMPLE = 50_000
"""States that the ends of a scale are taken from."""
TAILS = (0.02, 0.98)
"""Quantiles at the ends of a scale."""
ENDED = "episode ended"
ABSENT = {"logged": "nothing logged next", "support": "no distance", "reward": "no reward"}
"""What states without a value are called; in other colourings an episode ended there."""


def by_value(plan: Plan) -> Coloured:
    """Colour by planned value."""
    ended = plan.mdp.transitions.terminations
    return scaled("value", "planned value", np.where(ended, np.nan, plan.values))


def by_action(plan: Plan) -> Coloured:
    """Colour by planned action."""
    names = plan.mdp.transitions.action_names
    return categories("action", "planned action", planned_actions(plan), names)


def by_action_column(column: int, plan: Plan) -> Coloured:
    """Colour by one column of the planned actions, over the range that it may have."""
    return _of_column("action", "planned", column, plan, planned_actions(plan))


def logged_actions(data: Transitions) -> Int64:
    """Return [N] int64, the option that was logged next in every core state; -1 where none was.

    Options are numbers of actions or, where they are rows, the transitions that took them.
    """
    taken = np.full(len(data), -1, dtype=np.int64)
    follows = ~(data.terminations | data.truncations)[:-1]
    follows &= data.episode_ids[1:] == data.episode_ids[:-1]
    options = np.arange(len(data)) if data.action_vectors else data.actions
    taken[:-1] = np.where(follows, options[1:], -1)
    return taken


def by_logged_action(plan: Plan) -> Coloured:
    """Colour by the action that was logged next; none at the end of an episode."""
    data = plan.mdp.transitions
    return categories("logged", "logged action", logged_actions(data), data.action_names)


def by_logged_column(column: int, plan: Plan) -> Coloured:
    """Colour by one column of the actions that were logged next."""
    return _of_column("logged", "logged", column, plan, logged_actions(plan.mdp.transitions))


def by_reward(plan: Plan) -> Coloured:
    """Colour by the reward, as asked, of the transition that led to the state."""
    rewards = np.asarray(rewards_of(plan.mdp, plan.objective), dtype=np.float64)
    return scaled("reward", "reward on the way there", rewards)


def by_support(plan: Plan) -> Coloured:
    """Colour by the weighted distance to the data that the planned action rests on."""
    label = "distance to the data behind the planned action"
    return scaled("support", label, planned_distances(plan))


def by_gap(plan: Plan) -> Coloured:
    """Colour by how much the best action is better than the second best."""
    ended = plan.mdp.transitions.terminations
    if plan.q_values.shape[1] < 2:
        gaps = np.full(len(ended), np.nan)
    else:
        best = np.partition(plan.q_values, -2, axis=1)[:, -2:]
        with np.errstate(invalid="ignore"):
            gaps = np.where(ended, np.nan, best[:, 1] - best[:, 0])
    return scaled("gap", "gap between the best two actions", gaps)


def by_difference(plan: Plan, other: Plan) -> Coloured:
    """Colour by the difference of the values of two plans, 0 in the middle of the scale."""
    ended = plan.mdp.transitions.terminations
    difference = np.where(ended, np.nan, plan.values - other.values)
    return _around_zero("difference", "value, less that of the other plan", difference)


def by_shift(column: int, plan: Plan, other: Plan) -> Coloured:
    """Colour by the difference of a column of two plans' actions, 0 in the middle of the scale."""
    data = plan.mdp.transitions
    here, there = (numbers_of(data, planned_actions(one))[:, column] for one in (plan, other))
    label = f"planned {action_labels(data)[column]}, less that of the other plan"
    return _around_zero(f"shift:{column}", label, here - there)


def by_change(plan: Plan, other: Plan) -> Coloured:
    """Colour by whether two plans act otherwise."""
    here, data = planned_actions(plan), plan.mdp.transitions
    changed = np.where(here < 0, -1, others(data, here, planned_actions(other)))
    label = "planned action, against the other plan"
    names = ("about the same" if data.action_vectors else "the same", "another")
    return categories("changed", label, changed, names)


def _alone(data: Transitions) -> dict[str, Callable[[Plan], Coloured]]:
    """Return the colourings of one plan."""
    found: dict[str, Callable[[Plan], Coloured]] = {
        "value": by_value,
        "support": by_support,
        "reward": by_reward,
        "gap": by_gap,
    }
    if not data.action_vectors:
        return {**found, "action": by_action, "logged": by_logged_action}
    for column in range(data.actions.shape[1]):
        found[f"action:{column}"] = partial(by_action_column, column)
        found[f"logged:{column}"] = partial(by_logged_column, column)
    return found


def _beside(data: Transitions) -> dict[str, Callable[[Plan, Plan], Coloured]]:
    """Return the colourings of a plan beside another."""
    found = {"difference": by_difference, "changed": by_change}
    columns = data.actions.shape[1] if data.action_vectors else 0
    return {**found, **{f"shift:{column}": partial(by_shift, column) for column in range(columns)}}


def coloured(by: str, plan: Plan, other: Plan | None = None) -> Coloured:
    """Return the legend and the bytes [N] of a plan, or of a plan beside another."""
    alone, beside = _alone(plan.mdp.transitions), _beside(plan.mdp.transitions)
    choice("by", by, (*alone, *beside))
    if by in alone:
        legend, codes = alone[by](plan)
    elif other is None:
        raise InputError("other", f"the id of a plan for {by!r}", None)
    else:
        legend, codes = beside[by](plan, other)
    words = ABSENT.get(by.partition(":")[0], ENDED)
    absent = Category(MISSING, words, int((codes == MISSING).sum()))
    return msgspec.structs.replace(legend, absent=absent if absent.count else None), codes


def scaled(by: str, label: str, values: Float64) -> Coloured:
    """Return a continuous colouring of values [N]; NaN and infinities have no value."""
    low, high = _ends(values)
    return Legend(by, label, "continuous", low, high), _bytes(values, low, high)


def categories(by: str, label: str, numbers: Array, names: tuple[str, ...]) -> Coloured:
    """Return a colouring by number [N]; -1 has no value. Beyond 254 names share the last byte."""
    counts = np.bincount(numbers[numbers >= 0], minlength=len(names)).tolist()
    entries = tuple(Category(n, names[n], counts[n]) for n in range(len(names)))
    bytes_ = np.where(numbers < 0, MISSING, np.minimum(numbers, STEPS)).astype(np.uint8)
    return Legend(by, label, "categories", categories=entries), bytes_


def _of_column(kind: str, words: str, column: int, plan: Plan, options: Int64) -> Coloured:
    data = plan.mdp.transitions
    values = numbers_of(data, options)[:, column]
    low, high = action_spans(data)[:, column].tolist()
    label = f"{words} {action_labels(data)[column]}"
    return Legend(f"{kind}:{column}", label, "continuous", low, high), _bytes(values, low, high)


def _around_zero(by: str, label: str, values: Float64) -> Coloured:
    low, high = _ends(values)
    reach = max(abs(low), abs(high)) or 1.0
    return Legend(by, label, "diverging", -reach, reach), _bytes(values, -reach, reach)


def _ends(values: Float64) -> tuple[float, float]:
    sample = values[spread_rows(len(values), SAMPLE)]
    sample = sample[np.isfinite(sample)]
    if not len(sample):
        return 0.0, 0.0
    low, high = np.quantile(sample, TAILS)
    if not low < high:
        low, high = sample.min(), sample.max()
    return float(low), float(high)


def _bytes(values: Float64, low: float, high: float) -> Bytes:
    finite = np.isfinite(values)
    width = high - low
    places = (np.where(finite, values, low) - low) * (STEPS / width) if width > 0.0 else 0.0
    rounded = np.clip(np.rint(places), 0, STEPS)
    return np.where(finite, rounded, MISSING).astype(np.uint8)
