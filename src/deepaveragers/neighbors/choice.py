"""Which engine: measured on the data at hand, not guessed from its dimension.

Both exact engines are built over the largest action, and timed on a sample of the real
queries; the faster one takes the whole search. Small searches are not worth a trial.
Serving asks one query at a time, and is measured so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..errors import InputError
from .brute_force import BruteForceIndex
from .dense import DenseIndex
from .index import NeighborIndex
from .torch_index import TorchIndex
from .tree import WIDE, TreeIndex

EXACT: dict[str, Callable[[Floats], NeighborIndex]] = {
    "tree": TreeIndex,
    "dense": DenseIndex,
    "brute": BruteForceIndex,
    "torch": TorchIndex,
}
SAMPLE = 2000
FIRST_STEP = 50
PATIENCE = 5.0
"""Seconds after which a trial stops."""
FAR_BEHIND = 5.0
"""Times as slow: then more queries would not turn the choice."""
SMALL = 200_000
"""Lookups below which nothing is timed."""
NARROW, FEW = 16, 2000
"""Dimensions and rows up to which the tree is the faster one to ask."""
SERVED = 20
SERVED_K = 11


@dataclass(frozen=True)
class Choice:
    """The engine to use, what that was based on, and its index of the trial, if there was one."""

    engine: str
    notes: tuple[str, ...] = ()
    index: NeighborIndex | None = None


@dataclass(frozen=True)
class Workload:
    """What is to be searched, as far as the choice depends on it.

    Attributes:
        rows: [N_a, D] features of the action with the most transitions.
        queries: [Q, D] distinct core states.
        searches: lookups in all.
    """

    rows: Floats
    queries: Floats
    searches: int
    k: int
    threads: int


def choose(work: Workload, *, time_budget: float | None, allow_approximate: bool) -> Choice:
    """Return the faster exact engine, or HNSW where that is needed and allowed."""
    if work.searches < SMALL and time_budget is None:
        wide = work.rows.shape[1] > WIDE
        return Choice("dense" if wide else "tree", ("small search, no trial",))
    picks = np.random.default_rng(0).permutation(len(work.queries))[:SAMPLE]
    indexes = {name: EXACT[name](work.rows) for name in ("tree", "dense")}
    seconds = _race(indexes, work.queries[np.sort(picks)], work)
    best = min(seconds, key=lambda name: seconds[name])
    notes = tuple(f"{name}: {seconds[name]:.3g} s projected" for name in seconds)
    if time_budget is None or seconds[best] <= time_budget:
        return Choice(best, notes, indexes[best])
    if not allow_approximate:
        raise InputError(
            "time_budget",
            f"at least {seconds[best]:.0f} s, the time projected for exact search ({best})",
            f"{time_budget:g} s",
            "Raise it, use fewer transitions, or allow approximate search (HNSW).",
        )
    return Choice("hnsw", (*notes, f"time budget {time_budget:g} s"))


def serving_index(rows: Floats) -> NeighborIndex:
    """Return the exact engine that answers single queries faster: the same bits either way."""
    tree = TreeIndex(rows)
    if rows.shape[1] <= NARROW or len(rows) <= FEW:
        return tree
    dense = DenseIndex(rows)
    sample = rows[np.random.default_rng(0).integers(0, len(rows), SERVED)]
    return tree if _served(tree, sample) <= _served(dense, sample) else dense


def _served(index: NeighborIndex, sample: Floats) -> float:
    """Return the seconds for the sample, one query after another."""
    index.query(sample[:1], SERVED_K)
    begin = time.perf_counter()
    for i in range(len(sample)):
        index.query(sample[i : i + 1], SERVED_K)
    return time.perf_counter() - begin


def _race(indexes: dict[str, NeighborIndex], sample: Floats, work: Workload) -> dict[str, float]:
    """Return the seconds that the whole search would take with each exact engine.

    Both answer the same queries, few at first and then more, until the sample or the patience
    is at an end; one that is far behind leaves the race.
    """
    for index in indexes.values():
        index.query(sample[:1], work.k, threads=work.threads)
    spent, answered = dict.fromkeys(indexes, 0.0), dict.fromkeys(indexes, 0)
    racing = list(indexes)
    done = 0
    while done < len(sample) and sum(spent.values()) < PATIENCE:
        step = sample[done : max(FIRST_STEP, 4 * done)]
        for name in racing:
            begin = time.perf_counter()
            indexes[name].query(step, work.k, threads=work.threads)
            spent[name] += time.perf_counter() - begin
            answered[name] += len(step)
        done += len(step)
        slow, fast = max(racing, key=spent.__getitem__), min(racing, key=spent.__getitem__)
        if spent[slow] > FAR_BEHIND * spent[fast]:
            racing.remove(slow)
    return {name: spent[name] * work.searches / max(1, answered[name]) for name in indexes}
