"""What is asked of a compiled MDP.

The neighbour graph depends on the data and the representation alone; everything here is
applied when solving, so another objective is another solve, never another search.

With alpha_j the normalised weights of the k nearest transitions of (s, a) and d_j their
distances (the paper's Eq. 2 with weighted averaging; brackets as in Eq. 2 intended):

    R(s, a) = sum_j alpha_j (r_j - C d_j)
    Q(s, a) = R(s, a) + gamma sum_j alpha_j V(s'_j)
    V(s)    = max over the available actions of Q(s, a);  V = 0 where the episode ended
    alpha_j proportional to 1 / (d_j + 1e-5) ("inverse"), or equal ("uniform")

The other fields change one term each, as their descriptions say; `kernels.bellman.reference` has
all of them in one operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any, Literal, TypedDict, get_args

import numpy as np

from ..arguments import (
    check_takes,
    choice,
    is_collection,
    known_fields,
    number,
    optional,
    plain,
    shown,
    whole_number,
)
from ..arrays import Array
from ..errors import InputError
from ..kernels.bellman.problem import DISTANCE_OFFSET as DISTANCE_OFFSET

Weighting = Literal["inverse", "uniform"]
Penalty = Literal["linear", "adaptive"]
Action = int | str
Relabel = Callable[[Array, Array, Array], Any]
Rule = Callable[[Array], Any]
Range = tuple[float | None, float | None]

MENTIONED = 100
LARGEST_GAMMA = 0.9999999
"""The planner solves for corrections in float32, which takes a larger one for 1."""


@known_fields
@dataclass(frozen=True, eq=False)
class Objective:
    """One question to a compiled MDP.

    Two are equal when every field is: numbers and sequences by their entries, functions by
    identity. As arrays may be among the fields, an objective has no hash.

    Attributes:
        gamma: discount, from 0 to `LARGEST_GAMMA`.
        cost: the paper's C, what one unit of distance to the data costs; >= 0. None takes
            the deviation of the logged returns over the spread of the logged states, which
            is the same plan in any units (see `mdp.cost`); the plan's own objective then has
            that number.
        weighting: "inverse" (by distance) or "uniform".
        k: neighbours to average, at most as many as compiled; None takes all.
        forbidden_actions: actions, by number or name, that may never be taken; None for none.
            Where actions are rows: ranges by column, {"throttle": (0.5, 1.0)}, one or several,
            ends included, None for no end; or a function of actions [N, Da] that flags those.
        action_penalties: subtracted from Q(s, a): a number per action, or a mapping from
            action to number. Where actions are rows: a number per transition, a function of
            actions [N, Da] that returns them, or the price of a square by column (effort).
        slip: p in [0, 1], V = (1 - p) max_a Q + p mean_a Q over the available actions; where
            actions are rows, over the candidates, which are what the data did nearby.
        action_noise: deviation of a Gaussian on actions that are rows, in units of a column's
            range (its bounds, or else what was logged): who wants one candidate does another with
            a chance that falls with the distance of their actions; see `mdp.action_noise`.
        worst_case: w in [0, 1], Q mixes the average over the neighbours with the worst:
            (1 - w) sum_j alpha_j o_j + w min_j o_j, o_j = r_j - C d_j + gamma V(s'_j).
        rewards: other rewards for the same transitions: [N] numbers, or a function of
            (observations, actions, next_observations) that returns them.
        horizon: plan for this many steps instead of infinitely many: V_0 = 0, V_h = T V_{h-1}.
        penalty: "linear", C d_j; or "adaptive", max(0, max_j r_j) d_j / diameter, which
            has no C. The diameter is the diagonal of the box around the core states.
        action_mask: which actions a core state has: [N, A] booleans, or a function of the
            core states' observations that returns them. Where actions are rows: a function of
            observations and actions, a row of each, that returns a flag per row.
        support: p in [0, 1], an action is available only where the data took it at least p
            times as often as the likeliest action, among the 31 logged states most like the
            state; at core states and when acting. See `mdp.imitation`, and `mdp.action_rules`
            where actions are rows. 0 does not restrict actions.
    """

    gamma: float = 0.99
    cost: float | None = None
    weighting: Weighting = "inverse"
    k: int | None = None
    forbidden_actions: Sequence[Action] | Any = ()
    action_penalties: Mapping[Action, float] | Sequence[float] | Array | Rule | None = None
    slip: float = 0.0
    action_noise: float = 0.0
    worst_case: float = 0.0
    rewards: Sequence[float] | Array | Relabel | None = None
    horizon: int | None = None
    penalty: Penalty = "linear"
    action_mask: Array | Callable[..., Any] | None = None
    support: float = 0.0

    @classmethod
    def field_names(cls) -> frozenset[str]:
        """Return the names of all fields."""
        return frozenset(field.name for field in fields(cls))

    @classmethod
    def asked(
        cls, objective: Objective | None, fields: ObjectiveFields, **defaults: Any
    ) -> Objective:
        """Return what a door was asked: an objective, or its fields over other defaults."""
        if objective is None:
            return cls(**{**defaults, **fields})
        if fields:
            raise InputError(
                "objective",
                "an Objective or its fields as keywords, not both",
                f"both, with {', '.join(sorted(fields))}",
            )
        return objective

    def unusual(self) -> dict[str, Any]:
        """Return the fields that are not as by default, as plain values; data are "given"."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in fields(self)
            if not _same(getattr(self, field.name), field.default)
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Objective):
            return NotImplemented
        return all(
            _same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        common, thumb = "A common choice is 0.99.", "A rule of thumb is the size of one reward."
        plain = {
            "gamma": number("gamma", self.gamma, least=0.0, most=LARGEST_GAMMA, remedy=common),
            "cost": optional(number, "cost", self.cost, least=0.0, remedy=thumb),
            "weighting": choice("weighting", self.weighting, get_args(Weighting)),
            "k": optional(whole_number, "k", self.k),
            "forbidden_actions": _forbidden(self.forbidden_actions),
            "slip": number("slip", self.slip, least=0.0, most=1.0),
            "action_noise": number("action_noise", self.action_noise, least=0.0),
            "worst_case": number("worst_case", self.worst_case, least=0.0, most=1.0),
            "horizon": optional(whole_number, "horizon", self.horizon),
            "penalty": choice("penalty", self.penalty, get_args(Penalty)),
            "support": number("support", self.support, least=0.0, most=1.0),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        if callable(self.rewards):
            check_takes("rewards", self.rewards, "observations", "actions", "next_observations")
        if callable(self.action_mask):
            _check_mask(self.action_mask)


class ObjectiveFields(TypedDict, total=False):
    """The fields of an `Objective` as keywords, for editors and type checkers."""

    gamma: float
    cost: float | None
    weighting: Weighting
    k: int | None
    forbidden_actions: Sequence[Action] | Any
    action_penalties: Mapping[Action, float] | Sequence[float] | Array | Rule | None
    slip: float
    action_noise: float
    worst_case: float
    rewards: Sequence[float] | Array | Relabel | None
    horizon: int | None
    penalty: Penalty
    action_mask: Array | Callable[..., Any] | None
    support: float


def _check_mask(mask: object) -> None:
    """Raise an error unless a function takes observations, or observations and actions."""
    try:
        check_takes("action_mask", mask, "observations", "actions")
    except InputError:
        check_takes("action_mask", mask, "observations")


def _forbidden(given: Any) -> Any:
    """Return forbidden actions as plain values; a function as it is."""
    if callable(given):
        check_takes("forbidden_actions", given, "actions")
        return given
    if not isinstance(given, Mapping):
        return _actions(given)
    return {plain(column): _ranges(column, ranges) for column, ranges in given.items()}


def _ranges(column: object, given: Any) -> tuple[Range, ...]:
    """Return ranges (low, high) of a column; None is no end."""
    several = is_collection(given) and all(is_collection(one) for one in given)
    ranges = tuple(tuple(one) for one in given) if several else (given,)
    try:
        return tuple((_end(low), _end(high)) for low, high in ranges)
    except (TypeError, ValueError):
        name = f"forbidden_actions[{column!r}]"
        raise InputError(name, "a range (low, high), or several", shown(given)) from None


def _end(given: Any) -> float | None:
    if given is None or (isinstance(given, float) and math.isinf(given)):
        return None
    return number("an end of a range", given)


def _actions(given: Any) -> tuple[Action, ...]:
    """Return the actions that were given: none, one, or several."""
    if given is None:
        return ()
    actions = tuple(map(plain, given)) if is_collection(given) else (plain(given),)
    if not all(is_action(action) for action in actions):
        raise InputError("forbidden_actions", "actions by number or name, in a list", shown(given))
    return tuple(str(one) if isinstance(one, str) else int(one) for one in actions)


def is_action(value: object) -> bool:
    """Whether a value can be an action's name or number."""
    return isinstance(value, str | Integral) and not isinstance(value, bool)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values of a field ask the same; a list equals its array."""
    if one is None or other is None or callable(one) or callable(other):
        return one is other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return one == other
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        return isinstance(one, Mapping) and isinstance(other, Mapping) and dict(one) == dict(other)
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold; what stands for every transition is only mentioned."""
    value = plain(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple) and len(value) <= MENTIONED:
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, str | int | float) else "given"
