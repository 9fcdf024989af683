"""One byte per core state: what the map shows by colour."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..arguments import choice
from ..arrays import Array, Float64, Int64
from ..data.transitions import Transitions
from ..errors import InputError
from ..kernels.bellman import reference
from ..mdp.problem import pose
from ..solvers.plan import Plan
from .axes import spread_rows
from .messages import Category, Legend

Bytes = NDArray[np.uint8]
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


def planned_actions(plan: Plan) -> Int64:
    """Return [N] int64, the planned action of every core state; -1 where the episode ended."""
    ended = plan.mdp.transitions.terminations
    return np.where(ended, -1, plan.q_values.argmax(axis=1))


def by_value(plan: Plan) -> tuple[Legend, Bytes]:
    """Colour by planned value."""
    ended = plan.mdp.transitions.terminations
    return scaled("value", "planned value", np.where(ended, np.nan, plan.values))


def by_action(plan: Plan) -> tuple[Legend, Bytes]:
    """Colour by planned action."""
    return categories(
        "action", "planned action", planned_actions(plan), plan.mdp.transitions.action_names
    )


def logged_actions(data: Transitions) -> Int64:
    """Return [N] int64, the action that was logged in every core state; -1 where none was."""
    taken = np.full(len(data), -1, dtype=np.int64)
    follows = ~(data.terminations | data.truncations)[:-1]
    follows &= data.episode_ids[1:] == data.episode_ids[:-1]
    taken[:-1] = np.where(follows, data.actions[1:], -1)
    return taken


def by_logged_action(plan: Plan) -> tuple[Legend, Bytes]:
    """Colour by the action that was logged next; none at the end of an episode."""
    data = plan.mdp.transitions
    return categories("logged", "logged action", logged_actions(data), data.action_names)


def by_reward(plan: Plan) -> tuple[Legend, Bytes]:
    """Colour by the reward, as asked, of the transition that led to the state."""
    rewards = pose(plan.mdp, plan.objective).rewards
    return scaled("reward", "reward on the way there", rewards)


def by_support(plan: Plan) -> tuple[Legend, Bytes]:
    """Colour by the weighted distance to the data that the planned action rests on."""
    return scaled("support", "distance to the data behind the planned action", data_distances(plan))


def by_gap(plan: Plan) -> tuple[Legend, Bytes]:
    """Colour by how much the best action is better than the second best."""
    ended = plan.mdp.transitions.terminations
    if plan.q_values.shape[1] < 2:
        gaps = np.full(len(ended), np.nan)
    else:
        best = np.partition(plan.q_values, -2, axis=1)[:, -2:]
        with np.errstate(invalid="ignore"):
            gaps = np.where(ended, np.nan, best[:, 1] - best[:, 0])
    return scaled("gap", "gap between the best two actions", gaps)


def by_difference(plan: Plan, other: Plan) -> tuple[Legend, Bytes]:
    """Colour by the difference of the values of two plans, 0 in the middle of the scale."""
    ended = plan.mdp.transitions.terminations
    difference = np.where(ended, np.nan, plan.values - other.values)
    low, high = _ends(difference)
    reach = max(abs(low), abs(high)) or 1.0
    legend = Legend("difference", "value, less that of the other plan", "diverging", -reach, reach)
    return legend, _bytes(difference, -reach, reach)


def by_change(plan: Plan, other: Plan) -> tuple[Legend, Bytes]:
    """Colour by whether two plans act otherwise."""
    here, there = planned_actions(plan), planned_actions(other)
    changed = np.where(here < 0, -1, here != there)
    label = "planned action, against the other plan"
    return categories("changed", label, changed, ("the same", "another"))


def data_distances(plan: Plan) -> Float64:
    """Return [N] the weighted distance to the data of the planned action; NaN where it has none."""
    model, actions = pose(plan.mdp, plan.objective), planned_actions(plan)
    rows, taken = np.arange(len(actions)), np.maximum(actions, 0)
    indices = model.indices[rows, taken, : model.k][:, None]
    distances = model.distances[rows, taken, : model.k][:, None]
    there = model._replace(indices=indices, distances=distances)
    gaps = np.where(indices >= 0, distances, 0.0)
    found = (reference.weights(there) * gaps).sum(axis=(1, 2))
    return np.where((actions < 0) | (indices[:, 0, 0] < 0), np.nan, found)


ALONE: dict[str, Callable[[Plan], tuple[Legend, Bytes]]] = {
    "value": by_value,
    "action": by_action,
    "logged": by_logged_action,
    "support": by_support,
    "reward": by_reward,
    "gap": by_gap,
}
BESIDE: dict[str, Callable[[Plan, Plan], tuple[Legend, Bytes]]] = {
    "difference": by_difference,
    "changed": by_change,
}


def coloured(by: str, plan: Plan, other: Plan | None = None) -> tuple[Legend, Bytes]:
    """Return the legend and the bytes [N] of a plan, or of a plan beside another."""
    choice("by", by, (*ALONE, *BESIDE))
    if by in ALONE:
        legend, codes = ALONE[by](plan)
    elif other is None:
        raise InputError("other", f"the id of a plan for {by!r}", None)
    else:
        legend, codes = BESIDE[by](plan, other)
    absent = Category(MISSING, ABSENT.get(by, ENDED), int((codes == MISSING).sum()))
    return msgspec.structs.replace(legend, absent=absent if absent.count else None), codes


def scaled(by: str, label: str, values: Float64) -> tuple[Legend, Bytes]:
    """Return a continuous colouring of values [N]; NaN and infinities have no value."""
    low, high = _ends(values)
    return Legend(by, label, "continuous", low, high), _bytes(values, low, high)


def categories(by: str, label: str, numbers: Array, names: tuple[str, ...]) -> tuple[Legend, Bytes]:
    """Return a colouring by number [N]; -1 has no value. Beyond 254 names share the last byte."""
    counts = np.bincount(numbers[numbers >= 0], minlength=len(names)).tolist()
    entries = tuple(Category(n, names[n], counts[n]) for n in range(len(names)))
    bytes_ = np.where(numbers < 0, MISSING, np.minimum(numbers, STEPS)).astype(np.uint8)
    return Legend(by, label, "categories", categories=entries), bytes_


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
