"""What a judge says, or why it says nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from ....arrays import Array, Float64


class Actor(Protocol):
    """Anything that acts on a batch of observations."""

    def act(self, observation: Any) -> Any:
        """Return [B] actions for observations [B, ...]; [B, Da] where they are rows."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a policy earns, in parts that belong to the episodes it was judged on.

    Attributes:
        parts: [E] float64; their mean is the value, and their scatter its sampling error.
        spread: standard error beyond that: models that disagree, what is known to be missed.
        effective: episodes that the value effectively rests on.
        doubt: how much less is earned at worst where the log has nothing like it.
    """

    parts: Float64
    spread: float
    effective: float
    doubt: float = 0.0

    @property
    def value(self) -> float:
        """The discounted return that is expected."""
        return float(self.parts.mean())


@dataclass(frozen=True)
class Withheld:
    """An estimate that would say nothing.

    Attributes:
        reason: why, as the end of a sentence.
    """

    reason: str


Opinion: TypeAlias = Verdict | Withheld


def effective_number(weights: Float64) -> float:
    """Return Kish's effective sample size, (sum w)^2 / sum w^2; 0 where all are 0."""
    size = np.abs(weights)
    largest = float(size.max(initial=0.0))
    if not 0.0 < largest < math.inf:
        return 0.0
    size = size / largest
    return float(size.sum() ** 2 / (size**2).sum())


def actions_of(actor: Actor, observations: Array) -> Array:
    """Return the actions [B], or rows [B, Da], of observations [B, ...], none for none."""
    if len(observations) == 0:
        return np.empty(0, dtype=np.int64)
    found = np.asarray(actor.act(observations))
    return found if found.ndim == 2 else found.astype(np.int64)
