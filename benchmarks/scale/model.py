"""What a cluster would take: a cost model of a few constants, fitted to measured runs.

Compiling N rows with A actions and k neighbours on P shards and C processors:

    seconds = start + lookup N A log2(N / (A P)) asked / C + driver N A k + bytes / network
    asked   = 1 + reach (P^0.8 - 1) N^-0.25        shards that a query asks about an action

`lookup` comes from compiling on one machine (P = 1, asked = 1); `start` and `driver` (sharing out,
merging, assembling) from the rest of the cluster's time; `reach` from the shards asked of 16. The
exponents are those of a prototype on 16-d latents with P from 4 to 64. All that is not search is
counted as the driver's, though merging is not. What is not in it: other work on the nodes, and
lost nodes. It is a calculation, not a measurement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepaveragers.neighbors.shard_tuning import SHARD_TUNING

SHARD_GROWTH, ROW_GROWTH = 0.8, -0.25
SOLVE_BYTES = 2.5
"""Times the graph's bytes that planning on one machine needs."""


@dataclass(frozen=True)
class Cluster:
    """Machines of equal size."""

    machines: int = 16
    cores: int = 16
    gigabits: float = 10.0

    @property
    def processors(self) -> int:
        """All cores."""
        return self.machines * self.cores


@dataclass(frozen=True)
class Model:
    """The constants, in seconds of one processor, or of the driver."""

    start: float
    lookup: float
    driver: float
    reach: float
    sweep: float

    def asked(self, rows: float, shards: int) -> float:
        """Return how many shards a query asks about an action."""
        return 1.0 + self.reach * (shards**SHARD_GROWTH - 1.0) * rows**ROW_GROWTH

    def compile_here(self, rows: float, actions: int, threads: int) -> float:
        """Return the seconds of compiling on one machine."""
        return self.lookup * rows * actions * math.log2(rows / actions) / threads

    def compile_there(
        self, rows: float, actions: int, k: int, shards: int, cluster: Cluster, dimensions: int = 16
    ) -> float:
        """Return the seconds of compiling on a cluster."""
        asked = self.asked(rows, shards)
        depth = math.log2(max(2.0, rows / actions / shards))
        search = self.lookup * rows * actions * depth * asked / cluster.processors
        # Features, lists at home and abroad, and merged ones are written once and read once.
        size = rows * (8 * dimensions + actions * k * (12 * asked + 8))
        network = 2 * size / (cluster.gigabits * 1.25e8 * cluster.machines)
        return self.start + search + self.driver * rows * actions * k + network

    def round(self, rows: float, actions: int, k: int, cluster: Cluster) -> float:
        """Return the seconds of one round of planning in blocks."""
        every_node_reads = 8 * rows / (cluster.gigabits * 1.25e8)
        return 4 * self.sweep * rows * actions * k / cluster.processors + every_node_reads


def shards_for(rows: float, actions: int, cluster: Cluster) -> int:
    """Return the number of shards that would be taken."""
    return SHARD_TUNING.shards_for(np.full(actions, int(rows) // actions), cluster.processors)


def fitted(runs: Sequence[dict[str, Any]]) -> Model:
    """Return the model of measured runs: medians, so that one crowded run does little harm."""
    lookups, reaches, sweeps = [], [], []
    for run in runs:
        n, a, k = run["rows"], run["actions"], run["k"]
        lookups.append(run["compile_seconds"] * run["cpus"] / (n * a * math.log2(n / a)))
        if "many_shards" in run:
            grown = (run["many_shards"] ** SHARD_GROWTH - 1.0) * n**ROW_GROWTH
            reaches.append((run["many_shards_asked"] - 1.0) / grown)
            rounds = run["block_plan_seconds"] / run["block_rounds"]
            sweeps.append(rounds * min(run["cpus"], run["blocks"]) / (4 * n * a * k))
    lookup = float(np.median(lookups))
    rest, lists = [], []
    for run in runs:
        n, a = run["rows"], run["actions"]
        for shards, asked, seconds in _searches(run):
            search = lookup * n * a * math.log2(n / a / shards) * asked / run["cpus"]
            rest.append(max(0.0, seconds - search))
            lists.append(n * a * run["k"])
    start, driver = _line(lists, rest)
    return Model(start, lookup, driver, float(np.median(reaches)), float(np.median(sweeps)))


def _searches(run: dict[str, Any]) -> list[tuple[int, float, float]]:
    """Return (shards, shards asked, seconds) of the searches on a cluster."""
    found = [(run["shards"], run["shards_asked"], run["cluster_compile_seconds"])]
    if "many_shards" in run:
        found.append((run["many_shards"], run["many_shards_asked"], run["many_shards_seconds"]))
    return found


def _line(lists: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Return what does not depend on the number of lists, and what one takes; neither negative."""
    from scipy.optimize import nnls

    table = np.column_stack([np.ones(len(lists)), lists])
    # Relative to the size, so that the large run does not decide alone.
    scale = 1.0 / np.asarray(lists)
    (start, each), _ = nnls(table * scale[:, None], np.asarray(seconds) * scale)
    return float(start), float(each)


def checked(runs: Sequence[dict[str, Any]]) -> list[tuple[int, float, float]]:
    """Return (rows, measured, calculated) of each run, by a model of the smaller runs."""
    ordered = sorted(runs, key=lambda run: run["rows"])
    result = []
    for place in range(1, len(ordered)):
        run, model = ordered[place], fitted(ordered[:place])
        here = Cluster(1, run["cpus"], math.inf)
        there = model.compile_there(run["rows"], run["actions"], run["k"], run["shards"], here)
        result.append((run["rows"], run["cluster_compile_seconds"], there))
    return result
