"""What a reader hands back: the transitions, and what it decided on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ...arrays import Array
from ..transitions import Transitions

ActionMap: TypeAlias = Callable[[Array], Any]
"""A function from logged actions [N, ...] to N whole numbers or labels."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A dataset that was read, and how.

    Attributes:
        transitions: the dataset.
        format: name of the format it was read as.
        reason: why it was taken for that format.
        notes: what was decided, left out or renamed; empty if everything was plain.
        warnings: what the data may not mean as they are: `read` says it as a `DataWarning`.
    """

    transitions: Transitions
    format: str
    reason: str = "as asked"
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def explained(self, reason: str) -> Reading:
        """Return the same reading with the reason of its format."""
        return replace(self, reason=reason)

    def summary(self) -> dict[str, Any]:
        """Return what was read and decided as plain values, for JSON."""
        data = self.transitions
        return {
            "format": self.format,
            "reason": self.reason,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "transitions": len(data),
            "episodes": data.num_episodes,
            "observation_shape": list(data.observation_shape),
            "actions": list(data.action_names),
        }
