"""The three datasets: random, optimal, mixed.

A smaller bag is the beginning of the large one, as in the paper (10 % of the full dataset).
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import deepaveragers as da

from .agent import ENVIRONMENT, controller, trained_agent

BAGS = ("random", "optimal", "mixed")
EPSILONS = (0.0, 0.1, 0.2, 0.4, 0.6, 1.0)
"""Of the mixed bag: equally many episodes each."""


class Bags:
    """Collects bags, and keeps them.

    Args:
        cache: directory for the agent and the bags.
        steps: size of the largest bag.
        scripted: let a hand-written controller stand in for the trained agent.
    """

    def __init__(self, cache: Path, steps: int, scripted: bool) -> None:
        self._cache, self._steps, self._scripted = cache, steps, scripted

    @cached_property
    def _agent(self):
        return controller if self._scripted else trained_agent(self._cache / "agent.npz")

    def get(self, bag: str, size: int, seed: int) -> da.Transitions:
        """Return the first `size` transitions of a bag."""
        path = self._cache / f"{bag}-{self._steps}-{seed}"
        if not path.exists():
            da.save(self._collect(bag, seed), path)
        return da.load(path).subset(slice(0, size))

    def _collect(self, bag: str, seed: int) -> da.Transitions:
        if bag == "random":
            return da.collect(ENVIRONMENT, self._steps, seed=seed)
        epsilon = EPSILONS if bag == "mixed" else 0.0
        return da.collect(ENVIRONMENT, self._steps, self._agent, epsilon=epsilon, seed=seed)
