"""Building the neighbour graph: one index per action, all core states as queries.

    I(s, a), d(s, a) = the k nearest source states among the transitions with action a

The search runs in blocks of core states. Identical core states are searched once. Core states
are visited in the order of a tree's leaves, so that those of a block lie together; the order
changes how fast the answer comes, not the answer.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ..arrays import Float32, Floats, Int32, Int64
from ..errors import InputError
from ..progress import Advance, progress
from .checkpoint import Checkpoint, fingerprint
from .choice import EXACT, Choice, Workload, choose
from .duplicates import group_identical
from .graph import NO_NEIGHBOR, NeighborGraph, SearchReport
from .index import NeighborIndex
from .threads import available_threads
from .tree import TreeIndex

BLOCK = 32_768
Engine = Literal["auto", "tree", "dense", "hnsw", "brute"]


@dataclass(frozen=True, eq=False)
class _Task:
    """Checked inputs: source and core features [N, D], and the transitions of each action."""

    source: Floats
    core: Floats
    rows_of: tuple[Int32, ...]
    k: int
    threads: int

    @property
    def largest(self) -> Int32:
        """Transitions of the action that has the most."""
        return max(self.rows_of, key=len)


def build_graph(
    source_features: Floats,
    core_features: Floats,
    actions: Int32,
    num_actions: int,
    k: int,
    *,
    engine: Engine = "auto",
    time_budget: float | None = None,
    allow_approximate: bool = False,
    threads: int | None = None,
    show_progress: bool | None = None,
    resume_dir: str | os.PathLike[str] | None = None,
) -> NeighborGraph:
    """Return, for every core state and action, the k nearest source states of that action.

    Args:
        source_features: [N, D] representation of the states that transitions start from.
        core_features: [N, D] representation of the states that they lead to.
        actions: [N] which action each transition took.
        num_actions: A.
        k: neighbours per state and action.
        engine: "auto" times the exact engines on a sample; or one of them; or "hnsw".
        time_budget: seconds that the search may take; "auto" says so if exact search cannot.
        allow_approximate: whether "auto" may then use HNSW, whose recall is measured.
        threads: None uses every processor available.
        show_progress: None shows a bar on a terminal only.
        resume_dir: where finished blocks are kept; the same call goes on from there.
    """
    begin = time.perf_counter()
    task = _checked(source_features, core_features, actions, num_actions, k, threads)
    if engine not in get_args(Engine):
        raise InputError("engine", f"one of {', '.join(get_args(Engine))}", repr(engine))
    if time_budget is not None and not time_budget > 0:
        raise InputError("time_budget", "a positive number of seconds, or None", time_budget)
    checkpoint = None
    if resume_dir is not None:
        asked = {
            "inputs": fingerprint(source_features, core_features, actions),
            "num_actions": num_actions,
            "k": k,
            "engine": engine,
            "block": BLOCK,
        }
        checkpoint = Checkpoint(resume_dir, asked)
    members, starts = group_identical(task.core)
    distinct = members[starts[:-1]].astype(np.int64)
    choice = _chosen(engine, task, distinct, checkpoint, time_budget, allow_approximate)
    order = TreeIndex(task.source[task.largest]).leaf_order(
        task.core[distinct], threads=task.threads
    )
    if checkpoint is not None:
        order = checkpoint.begin(order, {"engine": choice.engine})

    shape = (len(task.core), num_actions, k)
    indices = np.full(shape, NO_NEIGHBOR, dtype=np.int32)
    distances = np.full(shape, np.inf, dtype=np.float32)
    with progress("neighbours", len(order) * num_actions, show=show_progress) as advance:
        for action, found in _search(task, choice, distinct[order], checkpoint, advance):
            for start, (rows, gaps) in found:
                block = order[start : start + len(rows)]
                copies = starts[block + 1] - starts[block]
                states = _members_of(members, starts, block, copies)
                indices[states, action] = np.repeat(rows, copies, axis=0)
                distances[states, action] = np.repeat(gaps, copies, axis=0)
    report = SearchReport(
        engine=choice.engine,
        seconds=time.perf_counter() - begin,
        peak_bytes=_peak_bytes(),
        notes=choice.notes,
    )
    return NeighborGraph(indices, distances, report)


Blocks = Iterator[tuple[int, tuple[Int32, Float32]]]


def _search(
    task: _Task, choice: Choice, queries: Int64, checkpoint: Checkpoint | None, advance: Advance
) -> Iterator[tuple[int, Blocks]]:
    for action, rows in enumerate(task.rows_of):
        if len(rows) == 0:
            advance(len(queries))
            continue
        make: Callable[[Floats], NeighborIndex] = EXACT[choice.engine]
        yield action, _blocks(task, action, make, queries, checkpoint, advance)


def _blocks(
    task: _Task,
    action: int,
    make: Callable[[Floats], NeighborIndex],
    queries: Int64,
    checkpoint: Checkpoint | None,
    advance: Advance,
) -> Blocks:
    """Yield (first position, (transition rows, distances)) of every block of one action."""
    index = None
    transitions = task.rows_of[action]
    for start in range(0, len(queries), BLOCK):
        states = queries[start : start + BLOCK]
        done = checkpoint and checkpoint.load(action, start, (len(states), task.k))
        if not done:
            index = index or make(task.source[transitions])
            rows, exact = index.query(task.core[states], task.k, threads=task.threads)
            rows = np.where(rows == NO_NEIGHBOR, NO_NEIGHBOR, transitions[rows])
            done = rows, exact.astype(np.float32)
            if checkpoint is not None:
                checkpoint.save(action, start, *done)
        advance(len(states))
        yield start, done


def _chosen(
    engine: str,
    task: _Task,
    distinct: Int64,
    checkpoint: Checkpoint | None,
    time_budget: float | None,
    allow_approximate: bool,
) -> Choice:
    if engine != "auto":
        return Choice(engine)
    if checkpoint is not None and "engine" in checkpoint.chosen:
        return Choice(str(checkpoint.chosen["engine"]), ("resumed",))
    actions_with_data = sum(len(rows) > 0 for rows in task.rows_of)
    work = Workload(
        rows=task.source[task.largest],
        queries=task.core[distinct],
        searches=len(distinct) * actions_with_data,
        k=task.k,
        threads=task.threads,
    )
    return choose(work, time_budget=time_budget, allow_approximate=allow_approximate)


def _checked(
    source: Floats, core: Floats, actions: Int32, num_actions: int, k: int, threads: int | None
) -> _Task:
    for name, features in (("source_features", source), ("core_features", core)):
        if features.ndim != 2 or 0 in features.shape:
            raise InputError(name, "an array [N, D] with N, D >= 1", f"shape {features.shape}")
        if not np.issubdtype(features.dtype, np.floating):
            raise InputError(name, "of a floating type", features.dtype)
        if not np.isfinite(features).all():
            where = int(np.argmin(np.isfinite(features).all(axis=1)))
            raise InputError(name, "finite", f"nan or inf in row {where}", "Remove such rows.")
    if source.shape != core.shape:
        raise InputError("core_features", f"of shape {source.shape}", f"shape {core.shape}")
    if actions.shape != (len(source),):
        raise InputError("actions", f"of shape ({len(source)},)", f"shape {actions.shape}")
    if actions.min() < 0 or actions.max() >= num_actions:
        received = f"{actions.min()} to {actions.max()}"
        raise InputError("actions", f"from 0 to num_actions - 1 = {num_actions - 1}", received)
    if k < 1:
        raise InputError("k", "at least 1", k)
    if threads is not None and threads < 1:
        raise InputError("threads", "at least 1, or None", threads)
    rows_of = [np.flatnonzero(actions == a).astype(np.int32) for a in range(num_actions)]
    return _Task(source, core, tuple(rows_of), k, threads or available_threads())


def _members_of(members: Int32, starts: Int32, groups: Int64, copies: Int32) -> Int32:
    """Return the members of all the groups, one group after another."""
    first = np.cumsum(copies) - copies
    return members[np.repeat(starts[groups] - first, copies) + np.arange(copies.sum())]


def _peak_bytes() -> int:
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
