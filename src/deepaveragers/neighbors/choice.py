"""Which engine: measured on the data at hand, unless that is very narrow.

Both exact engines are built over the largest action, and timed on a sample of the real
queries; the faster one takes the whole search. Small searches are not worth a trial.
Serving asks one query at a time, and is measured so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Floats, Int64
from ..errors import InputError
from .brute_force import BruteForceIndex
from .dense import DenseIndex
from .index import NeighborIndex
from .torch_index import TorchIndex
from .tree import TreeIndex
from .tuning import TUNING, Tuning


class Engine(Protocol):
    """Builds an index of rows [N, D]."""

    def __call__(self, rows: Floats, *, tuning: Tuning = TUNING) -> NeighborIndex:
        """Return the index."""


EXACT: dict[str, Engine] = {
    "tree": TreeIndex,
    "dense": DenseIndex,
    "brute": BruteForceIndex,
    "torch": TorchIndex,
}


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
        k: neighbours of each.
        threads: how many share the work.
        tuning: what the trial is like.
    """

    rows: Floats
    queries: Floats
    searches: int
    k: int
    threads: int
    tuning: Tuning = TUNING


def choose(work: Workload, *, time_budget: float | None, allow_approximate: bool) -> Choice:
    """Return the faster exact engine, or HNSW where that is needed and allowed."""
    tuning = work.tuning
    if work.searches < tuning.trial_least_lookups and time_budget is None:
        wide = work.rows.shape[1] > tuning.wide
        return Choice("dense" if wide else "tree", ("small search, no trial",))
    if work.rows.shape[1] <= tuning.very_narrow and time_budget is None:
        return Choice("tree", ("narrow data, no trial",))
    indexes: dict[str, NeighborIndex] = {}
    seconds: dict[str, float] = {}
    indexes["tree"] = tree = TreeIndex(work.rows, tuning=tuning)
    order = tree.leaf_order(work.queries, threads=work.threads)
    sample = work.queries[_runs(order, tuning)]
    begin = time.perf_counter()
    seconds["tree"] = _projected(tree, sample, work, tuning.trial_seconds)
    patience = tuning.trial_far_behind * (time.perf_counter() - begin)
    # Second: the threads of its matrix products go on spinning for a while.
    indexes["dense"] = DenseIndex(work.rows, tuning=tuning)
    seconds["dense"] = _projected(indexes["dense"], sample, work, patience)
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


def serving_index(rows: Floats, *, tuning: Tuning = TUNING) -> NeighborIndex:
    """Return the exact engine that answers single queries faster: the same bits either way."""
    tree = TreeIndex(rows, tuning=tuning)
    if rows.shape[1] <= tuning.served_narrow or len(rows) <= tuning.served_few:
        return tree
    dense = DenseIndex(rows, tuning=tuning)
    sample = rows[np.random.default_rng(0).integers(0, len(rows), tuning.served_trial)]
    seconds = [_served(index, sample, tuning.served_k) for index in (tree, dense)]
    return tree if seconds[0] <= seconds[1] else dense


def _served(index: NeighborIndex, sample: Floats, k: int) -> float:
    """Return the seconds for the sample, one query after another."""
    index.query(sample[:1], k)
    begin = time.perf_counter()
    for i in range(len(sample)):
        index.query(sample[i : i + 1], k)
    return time.perf_counter() - begin


def _runs(order: Int64, tuning: Tuning) -> Int64:
    """Return a sample in runs of neighbouring queries, as the whole search would meet them."""
    run = tuning.trial_run_states
    starts = np.random.default_rng(0).permutation(np.arange(0, len(order), run))
    parts = [order[start : start + run] for start in starts[: tuning.trial_states // run]]
    return np.concatenate(parts)


def _projected(index: NeighborIndex, sample: Floats, work: Workload, patience: float) -> float:
    """Return the seconds that the whole search would take; a slow engine is soon given up.

    Steps grow, and the last one counts: the first ones find the caches cold.
    """
    index.query(sample[:1], work.k, threads=work.threads)
    begin, done, seconds = time.perf_counter(), 0, 0.0
    while done < len(sample) and time.perf_counter() - begin < patience:
        step = sample[done : max(work.tuning.trial_first_step, 4 * done)]
        start = time.perf_counter()
        index.query(step, work.k, threads=work.threads)
        seconds = (time.perf_counter() - start) / len(step) * work.searches
        done += len(step)
    return seconds
