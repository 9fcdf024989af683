"""What is asked of a compiled MDP.

The neighbour graph depends on the data and the representation alone; everything here is
applied when solving, so another objective is another solve, never another search.

With alpha_j the normalised weights of the k nearest transitions of (s, a) and d_j their
distances (the paper's Eq. 2 with weighted averaging; brackets as in Eq. 2 intended):

    R(s, a) = sum_j alpha_j (r_j - C d_j)
    Q(s, a) = R(s, a) + gamma sum_j alpha_j V(s'_j)
    V(s)    = max over the available actions of Q(s, a);  V = 0 where the episode ended
    alpha_j proportional to 1 / (d_j + 1e-5) ("inverse"), or equal ("uniform")
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

from ..errors import InputError

Weighting = Literal["inverse", "uniform"]

DISTANCE_OFFSET = 1e-5
"""The paper's delta_d: keeps the weight of a neighbour at distance 0 finite."""


@dataclass(frozen=True)
class Objective:
    """One question to a compiled MDP.

    Attributes:
        gamma: discount, in [0, 1).
        cost: the paper's C, what one unit of distance to the data costs; >= 0.
        weighting: "inverse" (by distance) or "uniform".
        k: neighbours to average, at most as many as compiled; None takes all.
    """

    gamma: float = 0.99
    cost: float = 1.0
    weighting: Weighting = "inverse"
    k: int | None = None

    @classmethod
    def field_names(cls) -> frozenset[str]:
        """Return the names of all fields."""
        return frozenset(field.name for field in fields(cls))

    def __post_init__(self) -> None:
        if not _is_number(self.gamma) or not 0.0 <= self.gamma < 1.0:
            raise InputError("gamma", "a number in [0, 1)", self.gamma, "A common choice is 0.99.")
        if not _is_number(self.cost) or not 0.0 <= self.cost < math.inf:
            raise InputError(
                "cost",
                "a finite number >= 0",
                self.cost,
                "A rule of thumb is the size of one reward.",
            )
        if self.weighting not in ("inverse", "uniform"):
            raise InputError("weighting", "'inverse' or 'uniform'", repr(self.weighting))
        if self.k is not None and (isinstance(self.k, bool) or int(self.k) != self.k or self.k < 1):
            raise InputError("k", "a whole number >= 1, or None", self.k)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
