"""What an objective says about actions that are rows: forbidden ranges, fees, masks, support.

A rule speaks of the action of a logged transition, so it is one number or flag per transition,
and every candidate has that of its own. Only a mask by function, and support, look at the state:
see `mdp.permission`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from ..arguments import check_takes, number, shown, unmasked
from ..arrays import Array, Bool, Float64, Int32
from ..data.transitions import Transitions
from ..errors import InputError
from .objective import Objective
from .permission import Permission, deviations_of, flags_of


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
            forbidden = flags_of("forbidden_actions", given(data.actions), len(data))
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
        mask, given = self._objective.action_mask, None
        if observations is None and mask is not None and not callable(mask):
            array = np.asarray(unmasked("action_mask", mask))
            given = flags_of("action_mask", array, *transitions.shape)
        seen = self._data.next_observations if observations is None else observations
        return self.permission.allowed(transitions, seen, given)

    @cached_property
    def permission(self) -> Permission:
        """The rules that hold in any state."""
        asked, actions = self._objective, self._data.actions
        return Permission(
            actions,
            deviations_of(actions) if asked.support else np.ones(actions.shape[1]),
            self.permitted if asked.forbidden_actions else None,
            float(asked.support),
            asked.action_mask if callable(asked.action_mask) else None,
        )


def _column(data: Transitions, column: object, parameter: str) -> int:
    names = data.action_names
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(names):
        return column
    allowed = f"columns in 0..{len(names) - 1} or of {', '.join(names[:20])}"
    raise InputError(parameter, allowed, shown(column))
