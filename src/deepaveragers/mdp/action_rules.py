"""What an objective says about actions that are rows: forbidden ranges, fees, masks, support.

A rule speaks of the action of a logged transition, so it is one number or flag per transition,
and every candidate has that of its own. Only a mask by function, and support, look at the state.

With u the actions in units of their columns' deviation in the data, the support of candidate j
among the candidates i of its state is

    n_j = sum_i exp(-|u_i - u_j|^2 / (2 h^2 Da)),    h = 0.5

about the number of candidates that did nearly the same; j is available if n_j >= p max_i n_i,
i over those that are allowed. So the likeliest one always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import check_takes, number, shown, unmasked
from ..arrays import Array, Bool, Float64, Floats, Int32
from ..data.transitions import Transitions
from ..errors import InputError
from .objective import Objective

WIDTH = 0.5
"""h: what counts as nearly the same action, in deviations of a column."""
ROWS = 65_536
"""Candidates that a mask or support is asked of at once, about."""


class ActionRules:
    """The rules of one objective on one dataset.

    Args:
        data: transitions whose actions are rows.
        objective: the question.
    """

    def __init__(self, data: Transitions, objective: Objective) -> None:
        self._data, self._objective = data, objective
        mask = objective.action_mask
        if callable(mask):
            check_takes("action_mask", mask, "observations", "actions")

    @cached_property
    def permitted(self) -> Bool:
        """[N] bool, transitions whose action is not forbidden."""
        given, data = self._objective.forbidden_actions, self._data
        if callable(given):
            forbidden = _flags("forbidden_actions", given(data.actions), len(data))
        elif isinstance(given, Mapping):
            forbidden = np.zeros(len(data), dtype=bool)
            for column, ranges in given.items():
                numbers = data.actions[:, _column(data, column, "forbidden_actions")]
                for low, high in ranges:
                    above = np.ones(len(data), bool) if low is None else numbers >= low
                    forbidden |= above if high is None else above & (numbers <= high)
        elif given:
            raise InputError(
                "forbidden_actions",
                "ranges by column, {'throttle': (0.5, 1.0)}, or a function of the actions",
                shown(given),
            )
        else:
            forbidden = np.zeros(len(data), dtype=bool)
        if forbidden.all():
            raise InputError("forbidden_actions", "fewer than all actions", "all of them")
        return np.asarray(~forbidden)

    @cached_property
    def fees(self) -> Float64:
        """[N] float64, what taking each transition's action costs."""
        given, data = self._objective.action_penalties, self._data
        if given is None:
            return np.zeros(len(data))
        if callable(given):
            given = given(data.actions)
        elif isinstance(given, Mapping):
            total = np.zeros(len(data))
            for column, weight in given.items():
                place = _column(data, column, "action_penalties")
                price = number(f"action_penalties[{column!r}]", weight)
                total += price * np.square(data.actions[:, place].astype(np.float64))
            return total
        try:
            fees = np.asarray(unmasked("action_penalties", given), dtype=np.float64)
        except (TypeError, ValueError):
            fees = np.empty(0)
        if fees.shape != (len(data),) or not np.isfinite(fees).all():
            raise InputError(
                "action_penalties",
                f"{len(data)} finite numbers, one per transition, a function of the actions that "
                "returns them, or the price of a square by column, {'throttle': 0.1}",
                shown(given),
            )
        return fees

    def allowed(self, transitions: Int32, observations: Array | None) -> Bool:
        """Return [B, m] bool: which of the candidates of B states may be taken; [1, m] if all.

        Args:
            transitions: [B, m] the candidates.
            observations: [B, ...] of the states; None for core states, to which alone a mask
                given as an array applies.
        """
        mask = self._objective.action_mask
        if mask is None and not self._objective.support and not self._objective.forbidden_actions:
            return np.ones((1, transitions.shape[1]), dtype=bool)
        allowed = self.permitted[transitions] & (transitions >= 0)
        if callable(mask):
            seen = self._data.next_observations if observations is None else observations
            for part in _parts(len(transitions), transitions.shape[1]):
                allowed[part] &= self._masked(mask, seen[part], transitions[part])
        elif mask is not None and observations is None:
            given = np.asarray(unmasked("action_mask", mask))
            allowed &= _flags("action_mask", given, *transitions.shape)
        if self._objective.support:
            for part in _parts(len(transitions), transitions.shape[1] ** 2):
                allowed[part] = self._supported(transitions[part], allowed[part])
        return allowed

    def _masked(self, mask: Callable[..., Any], seen: Array, transitions: Int32) -> Bool:
        m = transitions.shape[1]
        rows = np.repeat(np.asarray(seen), m, axis=0)
        flags = mask(rows, self._data.actions[transitions.reshape(-1)])
        return _flags("action_mask", flags, len(rows)).reshape(-1, m)

    def _supported(self, transitions: Int32, allowed: Bool) -> Bool:
        units = self._units[transitions]
        gaps = np.square(units[:, :, None] - units[:, None, :]).sum(axis=3)
        alike = np.exp(-gaps / (2.0 * WIDTH**2 * units.shape[2]))
        counts = (alike * (transitions >= 0)[:, None, :]).sum(axis=2)
        most = np.where(allowed, counts, 0.0).max(axis=1, keepdims=True)
        return allowed & (counts >= self._objective.support * most)

    @cached_property
    def _units(self) -> Floats:
        """[N, Da] actions in units of their columns' deviation."""
        deviation = self._data.actions.std(axis=0, dtype=np.float64)
        return self._data.actions / np.where(deviation > 0.0, deviation, 1.0)


def _parts(rows: int, each: int) -> Iterator[slice]:
    step = max(1, ROWS // each)
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _column(data: Transitions, column: object, parameter: str) -> int:
    names = data.action_names
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(names):
        return column
    allowed = f"columns in 0..{len(names) - 1} or of {', '.join(names[:20])}"
    raise InputError(parameter, allowed, shown(column))


def _flags(parameter: str, given: Any, *shape: int) -> Bool:
    flags = np.asarray(unmasked(parameter, given))
    if flags.shape != shape:
        raise InputError(parameter, f"flags of shape {shape}", f"shape {flags.shape}")
    if flags.dtype != np.bool_ and (
        flags.dtype.kind not in "iuf" or not np.isin(flags, (0, 1)).all()
    ):
        raise InputError(parameter, "flags: true or false, 1 or 0", f"other {flags.dtype}")
    return flags.astype(bool)
