"""What-if: where two plans act differently, and what each would lose by the other's ways.

With pi and rho the two plans' policies, and V^rho the exact value of rho under the first
plan's objective (`solvers.policy_evaluation`), the first loses V^pi - V^rho by acting like the
second; at the start states that is one number, at every core state a map. The regret of one
decision is Q(s, pi(s)) - Q(s, rho(s)), in the first plan's own Q-values.

Where actions are rows, another action is one that differs by more than 5 % of the range of a
column (`solvers.planned_actions`); only the candidates of a state are available to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arguments import instance, known_keywords, number
from ..arrays import Bool, Float64, Int32, Int64, frozen
from ..data.transitions import Transitions
from ..errors import InputError
from ..solvers.greedy import chances_of
from ..solvers.plan import Plan
from ..solvers.planned_actions import (
    numbers_of,
    option_text,
    options_of,
    others,
    places_among,
    steps_apart,
    taken,
)
from ..solvers.policy_evaluation import policy_values
from ..solvers.start_states import Starts, start_states
from .comparison import Comparison, Difference, Loss, Shift

SHOWN = 8
"""States that are listed."""
COLUMNS_SHOWN = 16
"""Numbers of a state that are shown at most."""
TOLERANCE = 1e-5
"""Of the values of policies, relative to the largest possible."""


@known_keywords
def compare(first: Plan, second: Plan, *, tolerance: float = TOLERANCE) -> Comparison:
    """Say where two plans of one compiled MDP act differently, and what that costs each.

    Args:
        first: the one plan.
        second: the other.
        tolerance: of the policies' values, as of `policy_values`; a loss says its own error.
    """
    _check(first, second)
    tolerance = number("tolerance", tolerance, above=0.0)
    states, starts = np.flatnonzero(~first.mdp.transitions.terminations), start_states(first.mdp)
    sides = [_side(plan, states, starts) for plan in (first, second)]
    if not len(states):
        # One-step data: decisions are made where episodes start, which is everywhere.
        states = starts.rows
    regrets = [_regret(one, two) for one, two in (sides, sides[::-1])]
    one, two = (side.planned for side in sides)
    differs = others(first.mdp.transitions, one, two)
    return Comparison(
        first=first,
        second=second,
        states=frozen(states),
        differs=frozen(differs),
        first_regret=frozen(np.where(differs, regrets[0], 0.0)),
        second_regret=frozen(np.where(differs, regrets[1], 0.0)),
        first_loss=_loss(first, second, starts, tolerance),
        second_loss=_loss(second, first, starts, tolerance),
        pairs=_pairs(first.mdp.transitions, one[differs], two[differs]),
        shifts=_shifts(first.mdp.transitions, one, two),
        largest=_largest(first.mdp.transitions, states, differs, (one, two), regrets),
    )


class _Side(NamedTuple):
    """A plan in the compared states: options [M, A] or [1, A], Q-values [M, A], planned [M]."""

    options: Int32
    q_values: Float64
    planned: Int64


def _side(plan: Plan, states: Int64, starts: Starts) -> _Side:
    options, q_values = options_of(plan.mdp), plan.q_values
    if len(states):
        q_values = q_values[states]
        options = options[states] if len(options) > 1 else options
    else:
        options = starts.options(plan.objective)
        q_values = starts.q_values(plan.objective, plan.values)
    return _Side(options, q_values, taken(options, q_values.argmax(axis=1)))


def _regret(own: _Side, other: _Side) -> Float64:
    """Return [M] what the one loses by a decision of the other; inf where it is not available."""
    places, there = places_among(own.options, other.planned)
    worth = np.where(there, own.q_values[np.arange(len(places)), places], -np.inf)
    return np.asarray(own.q_values.max(axis=1) - worth)


def _pairs(data: Transitions, one: Int64, two: Int64) -> dict[tuple[str, str], int]:
    if data.action_vectors:
        return {}
    kinds, counts = np.unique(np.column_stack((one, two)), axis=0, return_counts=True)
    names = data.action_names
    return {(names[a], names[b]): int(n) for (a, b), n in zip(kinds, counts, strict=True)}


def _shifts(data: Transitions, one: Int64, two: Int64) -> tuple[Shift, ...]:
    if not data.action_vectors:
        return ()
    return shifts_of(data, numbers_of(data, one), numbers_of(data, two))


def shifts_of(data: Transitions, before: Float64, after: Float64) -> tuple[Shift, ...]:
    """Return how the columns change from rows [M, Da] to others."""
    apart, means = steps_apart(data, before, after), (after - before).mean(axis=0)
    return tuple(
        Shift(name, int((apart[:, n] < 0).sum()), int((apart[:, n] > 0).sum()), float(means[n]))
        for n, name in enumerate(data.action_names)
    )


def _largest(
    data: Transitions,
    states: Int64,
    differs: Bool,
    planned: tuple[Int64, Int64],
    regrets: Sequence[Float64],
) -> tuple[Difference, ...]:
    both = np.where(differs, np.nan_to_num(regrets[0] + regrets[1], posinf=1e300), -1.0)
    worst = np.argsort(-both, kind="stable")[: min(SHOWN, int(differs.sum()))]
    seen = data.observations if data.terminations.all() else data.next_observations
    return tuple(
        Difference(
            transition=int(states[row]),
            first=option_text(data, int(planned[0][row])),
            second=option_text(data, int(planned[1][row])),
            first_regret=float(regrets[0][row]),
            second_regret=float(regrets[1][row]),
            episode=data.episode_name(int(states[row])),
            observation=data.by_name(seen[states[row]], COLUMNS_SHOWN),
        )
        for row in worst
    )


def _loss(plan: Plan, other: Plan, starts: Starts, tolerance: float) -> Loss:
    asked, q_values = plan.objective, plan.q_values
    at_starts = starts.q_values(asked, plan.values)
    theirs = starts.q_values(other.objective, other.values).argmax(axis=1)
    theirs = taken(starts.options(other.objective), theirs)
    own, own_error = _worth(
        plan, q_values.argmax(axis=1), at_starts.argmax(axis=1), starts, tolerance
    )
    copied, impossible = _copied(options_of(plan.mdp), q_values, _planned(other))
    first, _ = _copied(starts.options(asked), at_starts, theirs)
    value, error = _worth(plan, copied, first, starts, tolerance)
    return Loss(own, value, own - value, own_error + error, int(impossible.sum()))


def _planned(plan: Plan) -> Int64:
    """Return [N] what a plan would do, even where the episode ended and nothing is done."""
    return taken(options_of(plan.mdp), plan.q_values.argmax(axis=1))


def _copied(options: Int32, q_values: Float64, wanted: Int64) -> tuple[Int64, Bool]:
    """Return [S] the places of wanted options, or of the best, and [S] where they are not there."""
    places, there = places_among(options, wanted)
    possible = there & np.isfinite(q_values[np.arange(len(places)), places])
    return np.where(possible, places, q_values.argmax(axis=1)), ~possible


def _worth(
    plan: Plan, places: Int64, first: Int64, starts: Starts, tolerance: float
) -> tuple[float, float]:
    """Return the mean value at the starts of acting so, and its certified error.

    Args:
        plan: whose objective and options count.
        places: [N] of the options that are taken in core states.
        first: [S] of those that are taken at the starts.
        starts: where episodes begin.
        tolerance: of the values.
    """
    asked = plan.objective
    chances = chances_of(places, np.isfinite(plan.q_values), asked.slip)
    found = policy_values(plan.mdp, chances, asked, tolerance=tolerance)
    worth = starts.q_values(replace(asked, slip=0.0), found.values)
    chances = chances_of(first, np.isfinite(worth), asked.slip)
    mean = (chances * np.where(chances > 0.0, worth, 0.0)).sum(axis=1).mean()
    return float(mean), asked.gamma * max(found.below, found.above)


def _check(first: Plan, second: Plan) -> None:
    for name, plan in (("first", first), ("second", second)):
        instance(name, plan, Plan, "a Plan")
        if plan.objective.horizon is not None:
            raise InputError(name, "a plan without horizon", plan.objective.horizon)
    if not first.mdp.same_model(second.mdp):
        raise InputError("second", "a plan of the same compiled MDP", "one of another")
