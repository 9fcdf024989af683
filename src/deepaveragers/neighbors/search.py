"""Building the neighbour graph: one index per action, all core states as queries.

    I(s, a), d(s, a) = the k nearest source states among the transitions with action a

The search runs in blocks of core states. Identical core states are searched once. Core states
are visited in the order of the tree's leaves, so that those of a block lie together; the order
changes how fast the answer comes, not the answer.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Literal

import numpy as np

from ..arrays import Int32, Int64, frozen
from ..errors import InputError
from ..parallel import available_threads
from ..progress import progress
from .block_search import BlockSearch, Task
from .checkpoint import Checkpoint, fingerprint
from .choice import Choice, Workload, choose
from .duplicates import group_identical, groups_in_order, write_lists
from .features import Features
from .graph import NO_NEIGHBOR, NeighborGraph, SearchReport, room_for_lists
from .index import NeighborIndex
from .tree import TreeIndex
from .tuning import TUNING, Tuning

Engine = Literal["auto", "tree", "dense", "hnsw", "brute", "torch"]


def build_graph(
    features: Features,
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
    tuning: Tuning = TUNING,
) -> NeighborGraph:
    """Return, for every core state and action, the k nearest source states of that action.

    Numbers and names were checked by `mdp.compilation.compile`.

    Args:
        features: representation of the states that transitions start from and lead to.
        actions: [N] which action each transition took.
        num_actions: A.
        k: neighbours per state and action.
        engine: "auto" times the exact engines on a sample; or one of them; or "torch", exact
            on a GPU where there is one; or "hnsw".
        time_budget: seconds that the search may take; "auto" says so if exact search cannot.
        allow_approximate: whether "auto" may then use HNSW, whose recall is measured.
        threads: None uses every processor available.
        show_progress: None shows a bar on a terminal only.
        resume_dir: where finished blocks are kept; the same call goes on from there.
        tuning: how the search is done.
    """
    begin = time.perf_counter()
    rows_of = _rows_of(actions, num_actions, len(features.source))
    task = Task(features, rows_of, k, threads or available_threads(), tuning)
    checkpoint = None if resume_dir is None else _checkpoint(resume_dir, task, actions, engine)
    members, starts = group_identical(features.core)
    distinct = members[starts[:-1]].astype(np.int64)
    choice = _chosen(engine, task, distinct, checkpoint, time_budget, allow_approximate)
    order, ready = _visiting_order(choice, task, distinct)
    if checkpoint is not None:
        order = checkpoint.begin(order, {"engine": choice.engine})

    members, starts = groups_in_order(members, starts, order)
    indices, distances = room_for_lists(len(features.core), num_actions, k)
    indices[:], distances[:] = NO_NEIGHBOR, np.inf
    with progress("neighbours", len(order) * num_actions, show=show_progress) as advance:
        search = BlockSearch(task, choice.engine, distinct[order], checkpoint, advance, ready)
        for action, start, rows, gaps in search.blocks():
            groups = members, starts[start : start + len(rows) + 1]
            write_lists(*groups, action, rows, gaps, indices, distances)
    took = time.perf_counter() - begin
    report = SearchReport(choice.engine, search.recall, took, _peak_bytes(), choice.notes)
    graph = NeighborGraph(frozen(indices), frozen(distances), report)
    graph.index_cache.keep(search.indexes, features.source, choice.engine, tuning)
    return graph


def _rows_of(actions: Int32, num_actions: int, size: int) -> tuple[Int32, ...]:
    """Return the numbers of the transitions of each action."""
    if actions.shape != (size,):
        raise InputError("actions", f"of shape ({size},)", f"shape {actions.shape}")
    if actions.min() < 0 or actions.max() >= num_actions:
        received = f"{actions.min()} to {actions.max()}"
        raise InputError("actions", f"from 0 to num_actions - 1 = {num_actions - 1}", received)
    return tuple(np.flatnonzero(actions == a).astype(np.int32) for a in range(num_actions))


def _checkpoint(
    folder: str | os.PathLike[str], task: Task, actions: Int32, engine: str
) -> Checkpoint:
    """Return where finished blocks of this very search are kept."""
    asked = {
        "inputs": fingerprint(task.features.source, task.features.core, actions),
        "num_actions": len(task.rows_of),
        "k": task.k,
        "engine": engine,
        "block": task.tuning.block_states,
    }
    return Checkpoint(folder, asked)


def _visiting_order(
    choice: Choice, task: Task, distinct: Int64
) -> tuple[Int64, NeighborIndex | None]:
    """Return in which order core states are searched, and the index of the largest action."""
    order, ready = np.arange(len(distinct)), choice.index
    if choice.engine == "tree":
        if not isinstance(ready, TreeIndex):
            ready = TreeIndex(task.rows(task.largest), tuning=task.tuning)
        order = ready.leaf_order(task.features.core[distinct], threads=task.threads)
    return order, ready


def _chosen(
    engine: str,
    task: Task,
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
        rows=task.rows(task.largest),
        queries=task.features.core[distinct],
        searches=len(distinct) * actions_with_data,
        k=task.k,
        threads=task.threads,
        tuning=task.tuning,
    )
    return choose(work, time_budget=time_budget, allow_approximate=allow_approximate)


def _peak_bytes() -> int:
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
