"""The N_e policies that may be tried in the environment before one is chosen (Sec. 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

K = 5
COSTS = {1: (1.0,), 6: (1.0, 100.0, 1e6), 20: (1.0, 10.0, 100.0, 1000.0, 1e6)}
LOOKUPS = {1: (11,), 6: (11, 51), 20: (5, 11, 31, 51)}
SETS = tuple(COSTS)


@dataclass(frozen=True)
class Candidate:
    """A cost C and a number of neighbours k_pi; k is 5 for all."""

    cost: float
    lookup: int


def candidates(count: int) -> list[Candidate]:
    """Return the paper's candidates for N_e = 1, 6 or 20; a larger set holds the smaller."""
    return [Candidate(*pair) for pair in product(COSTS[count], LOOKUPS[count])]
