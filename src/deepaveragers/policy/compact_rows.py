"""A policy without its log whose actions are rows of numbers."""

from __future__ import annotations

from typing import Any

from ..arrays import Array, Float64, Floats
from ..data.action_vectors import kind_of_actions
from ..representation.encoder import Encoder
from .candidate_rule import CandidateRule
from .compact import CompactPolicy, Manner, Origin
from .deciding import Decisions, no_decisions
from .observing import ObservationForm
from .support import Support


class CompactVectorPolicy(CompactPolicy):
    """Decides as the policy that it was made from, bit for bit; it cannot explain.

    Args:
        encoder: the fitted representation.
        form: of observations.
        rule: how candidates are found and weighed.
        support: of observations by the data.
        manner: how decisions are made of both; its names are those of an action's columns.
        origin: where it comes from.
    """

    rows: CandidateRule

    def __init__(
        self,
        encoder: Encoder,
        form: ObservationForm,
        rule: CandidateRule,
        support: Support,
        manner: Manner,
        origin: Origin,
    ) -> None:
        super().__init__(encoder, form, rule, support, manner, origin)
        self.rows = rule

    @property
    def action_kind(self) -> str:
        """What actions are: rows of any numbers, or of several discrete parts."""
        return "continuous" if self.rows.actions.dtype.kind == "f" else "combined discrete"

    @property
    def actions_in_words(self) -> str:
        """What kind of actions there are, in words."""
        return kind_of_actions(self.rows.actions, len(self.action_names))

    def _named_fallback(self) -> Any:
        fallback = self.manner.fallback
        return dict(zip(self.action_names, fallback)) if isinstance(fallback, tuple) else None

    def _weighed(self, features: Floats) -> tuple[Float64, Array, Float64 | None]:
        found = self.rows.choices(features)
        actions: Array = self.rows.actions[found.best]
        return found.q_values, actions, None

    def _nothing(self) -> Decisions:
        return no_decisions(self.action_names, self.rows.actions[:0], self.rows.search.m)
