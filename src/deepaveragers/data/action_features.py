"""Large sets of discrete actions with features: rows to plan with, and numbers to act by.

Of thousands of actions (articles, doses of several drugs, prices) most were taken a few times at
most, and a state has none of them nearby. Each with a row of features, they are planned as other
rows are: a state chooses among what was done in states like it, rules and support speak of
features, and the row that is chosen is one action's, whose number is found again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import instance, shown, unmasked
from ..arrays import Array, Float64, Int64, frozen
from ..errors import InputError
from .action_vectors import as_action_vectors
from .transitions import Transitions


@dataclass(frozen=True, eq=False)
class ActionFeatures:
    """The features of numbered actions.

    Attributes:
        features: [A, F] float64, a row per action, no two of them the same; a DataFrame brings the
            names of its columns.
        columns: F names; None numbers them.
    """

    features: Float64
    columns: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        given = self.features
        if not hasattr(given, "shape"):
            given = _numbers("features", given)
        if np.ndim(given) != 2 or not len(given):
            raise InputError("features", "a row of numbers per action", shown(np.shape(given)))
        rows, columns = as_action_vectors(given, self.columns, len(given))
        table = frozen(rows.astype(np.float64))
        _, first, count = np.unique(table, axis=0, return_index=True, return_counts=True)
        if len(first) < len(table):
            twin = int(first[np.argmax(count > 1)])
            raise InputError(
                "features", "rows that tell actions apart", f"several like that of action {twin}",
                "Add a column in which they differ.",
            )  # fmt: skip
        object.__setattr__(self, "features", table)
        object.__setattr__(self, "columns", columns)

    @classmethod
    def of_names(
        cls, rows: Mapping[str, Any], data: Transitions, columns: Sequence[str] | None = None
    ) -> ActionFeatures:
        """Return the features of a dataset's actions, given by their names.

        Args:
            rows: a row of numbers per name.
            data: whose actions they are.
            columns: names of the features.
        """
        lacking = [name for name in _numbered(data).action_names if name not in rows]
        if lacking:
            raise InputError("rows", "a row for each action", f"none for {lacking[0]!r}")
        table = _numbers("rows", [rows[name] for name in data.action_names])
        return cls(table, columns)  # type: ignore[arg-type]

    def rows(self, data: Transitions) -> Transitions:
        """Return the data with each action as its row of features."""
        count = _numbered(data).num_actions
        if count != len(self.features):
            raise InputError("data", f"of {len(self.features)} actions, as many as rows", count)
        return replace(
            data, actions=self.features[data.actions], action_names=self.columns, propensities=None
        )

    def numbers(self, rows: Any) -> Any:
        """Return the numbers [B] of the actions with features [B, F]; of one row, its number."""
        given = _numbers("rows", unmasked("rows", rows))
        batch = np.atleast_2d(given)
        if given.ndim not in (1, 2) or batch.shape[1] != self.features.shape[1]:
            raise InputError(
                "rows", f"rows of {self.features.shape[1]} features", f"shape {given.shape}"
            )
        keys = [row.tobytes() for row in batch + 0.0]
        unknown = [key for key in keys if key not in self._places]
        if unknown:
            raise InputError("rows", "features of known actions", shown(np.frombuffer(unknown[0])))
        found: Int64 = np.array([self._places[key] for key in keys], dtype=np.int64)
        return int(found[0]) if given.ndim == 1 else found

    def acting(self, policy: Any) -> NumberedActor:
        """Return a policy over rows of features as one whose actions are numbers."""
        if not callable(getattr(policy, "act", None)):
            raise InputError("policy", "a policy with act", shown(policy))
        return NumberedActor(policy, self)

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {row.tobytes(): place for place, row in enumerate(self.features + 0.0)}


@dataclass(frozen=True)
class NumberedActor:
    """Acts by a policy over rows of features, and returns the numbers of actions.

    Attributes:
        policy: over rows.
        features: of the actions.
    """

    policy: Any
    features: ActionFeatures

    def act(self, observations: Array) -> Any:
        """Return the number of an action, or numbers [B] for observations [B, ...]."""
        return self.features.numbers(self.policy.act(observations))


def _numbers(name: str, given: Any) -> Float64:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(name, "rows of numbers, all of one length", shown(given)) from None


def _numbered(data: Transitions) -> Transitions:
    instance("data", data, Transitions, "Transitions")
    if data.action_vectors:
        raise InputError("data", "Transitions whose actions are numbers", "actions that are rows")
    return data
