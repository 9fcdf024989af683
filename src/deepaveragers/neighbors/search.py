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
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Float32, Floats, Int32, Int64
from ..errors import InputError
from ..kernels.spread import spread
from ..parallel import available_threads
from ..progress import Advance, progress
from .checkpoint import Checkpoint, fingerprint
from .choice import EXACT, Choice, Workload, choose
from .duplicates import group_identical
from .graph import NO_NEIGHBOR, NeighborGraph, SearchReport, room_for_lists
from .hnsw import HnswIndex
from .index import NeighborIndex
from .kept import MOST_BYTES, KeptIndexes, keep
from .tree import TreeIndex

BLOCK = 32_768
RECALL_SAMPLE = 1000
LARGEST_FEATURE = 1e36
"""Distances are kept in float32."""
Engine = Literal["auto", "tree", "dense", "hnsw", "brute", "torch"]


@dataclass(frozen=True, eq=False)
class _Task:
    """Checked inputs: source and core features [N, D], and the transitions of each action."""

    source: Floats
    core: Floats
    rows_of: tuple[Int32, ...]
    k: int
    threads: int

    @property
    def largest(self) -> int:
        """The action that has the most transitions."""
        return max(range(len(self.rows_of)), key=lambda action: len(self.rows_of[action]))

    def rows(self, action: int) -> Floats:
        """Return the source features of an action's transitions."""
        return self.source[self.rows_of[action]]


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

    Numbers and names were checked by `mdp.model.compile`, the arrays are checked here.

    Args:
        source_features: [N, D] representation of the states that transitions start from.
        core_features: [N, D] representation of the states that they lead to.
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
    """
    begin = time.perf_counter()
    task = _checked(source_features, core_features, actions, num_actions, k, threads)
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
    order, ready = np.arange(len(distinct)), choice.index
    if choice.engine == "tree":
        ready = ready if isinstance(ready, TreeIndex) else TreeIndex(task.rows(task.largest))
        order = ready.leaf_order(task.core[distinct], threads=task.threads)
    if checkpoint is not None:
        order = checkpoint.begin(order, {"engine": choice.engine})

    indices, distances = room_for_lists(len(task.core), num_actions, k)
    indices[:], distances[:] = NO_NEIGHBOR, np.inf
    with progress("neighbours", len(order) * num_actions, show=show_progress) as advance:
        search = _Search(task, choice.engine, distinct[order], checkpoint, advance, ready)
        for action, start, rows, gaps in search.blocks():
            block = order[start : start + len(rows)]
            spread(block, members, starts, action, rows, gaps, indices, distances)
    report = SearchReport(
        engine=choice.engine,
        recall=search.recall,
        seconds=time.perf_counter() - begin,
        peak_bytes=_peak_bytes(),
        notes=choice.notes,
    )
    for column in (indices, distances):
        column.flags.writeable = False
    graph = NeighborGraph(indices, distances, report)
    keep(graph, search.kept, task.source)
    return graph


class _Search:
    """The search of all actions, block by block, whatever the engine."""

    def __init__(
        self,
        task: _Task,
        engine: str,
        queries: Int64,
        checkpoint: Checkpoint | None,
        advance: Advance,
        ready: NeighborIndex | None,
    ) -> None:
        """Take the parts; `ready` is an index of the largest action, if there is one already."""
        self._task, self._engine, self._queries = task, engine, queries
        self._checkpoint, self._advance = checkpoint, advance
        self._ready = ready
        self._recalls: list[float] = []
        self._indexes: list[NeighborIndex | None] = []

    @property
    def recall(self) -> float:
        """Share of the true neighbours found, as measured; the mean over the actions."""
        return float(np.mean(self._recalls)) if self._recalls else 1.0

    @property
    def _keeps(self) -> bool:
        """Whether indexes outlive the search: exact ones that are small and fill no GPU."""
        fit = self._engine in EXACT and self._engine != "torch"
        return fit and self._task.source.nbytes <= MOST_BYTES

    @property
    def kept(self) -> KeptIndexes | None:
        """The indexes that were built; None if some were not, or are not to be kept."""
        rows_of = self._task.rows_of
        if any(len(rows) and index is None for rows, index in zip(rows_of, self._indexes)):
            return None
        return KeptIndexes(tuple(self._indexes), rows_of, len(self._task.source))

    def blocks(self) -> Iterator[tuple[int, int, Int32, Float32]]:
        """Yield (action, first position, transition rows, distances) of every block."""
        for action, transitions in enumerate(self._task.rows_of):
            if len(transitions) == 0:
                self._advance(len(self._queries))
                self._indexes.append(None)
                continue
            index: NeighborIndex | None = None
            for start in range(0, len(self._queries), BLOCK):
                states = self._queries[start : start + BLOCK]
                done = self._load(action, start, len(states))
                if done is None:
                    index = index or self._index(action)
                    done = self._find(index, transitions, states)
                    if self._checkpoint is not None:
                        self._checkpoint.save(action, start, *done)
                self._advance(len(states))
                yield action, start, *done
            self._recalls.append(self._recall_of(action, index))
            self._indexes.append(index if self._keeps else None)

    def _load(self, action: int, start: int, count: int) -> tuple[Int32, Float32] | None:
        if self._checkpoint is None:
            return None
        return self._checkpoint.load(action, start, (count, self._task.k))

    def _find(
        self, index: NeighborIndex, transitions: Int32, states: Int64
    ) -> tuple[Int32, Float32]:
        task = self._task
        rows, distances = index.query(task.core[states], task.k, threads=task.threads)
        found = transitions[rows]
        if rows.min() < 0:
            # -1 wrapped round to the last transition, and is put back.
            found[rows == NO_NEIGHBOR] = NO_NEIGHBOR
        return found, distances.astype(np.float32)

    def _index(self, action: int) -> NeighborIndex:
        task = self._task
        if self._ready is not None and action == task.largest:
            ready, self._ready = self._ready, None
            return ready
        rows = task.rows(action)
        if self._engine != "hnsw":
            return EXACT[self._engine](rows)
        picks = np.random.default_rng(0).permutation(len(self._queries))[:RECALL_SAMPLE]
        sample = task.core[self._queries[picks]]
        index = HnswIndex(rows, sample=sample, k=task.k, threads=task.threads)
        if self._checkpoint is not None:
            self._checkpoint.save_recall(action, index.recall)
        return index

    def _recall_of(self, action: int, index: NeighborIndex | None) -> float:
        if self._engine != "hnsw":
            return 1.0
        if isinstance(index, HnswIndex):
            return index.recall
        return self._checkpoint.load_recall(action) if self._checkpoint is not None else 0.0


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
        rows=task.rows(task.largest),
        queries=task.core[distinct],
        searches=len(distinct) * actions_with_data,
        k=task.k,
        threads=task.threads,
    )
    return choose(work, time_budget=time_budget, allow_approximate=allow_approximate)


def check_features(features: Floats, name: str) -> None:
    """Raise an error unless features are [N, D] floating numbers whose distances are numbers."""
    if features.ndim != 2 or 0 in features.shape:
        raise InputError(name, "an array [N, D] with N, D >= 1", f"shape {features.shape}")
    if not np.issubdtype(features.dtype, np.floating):
        raise InputError(name, "of a floating type", features.dtype)
    if max(features.max(), -features.min()) <= LARGEST_FEATURE:
        return
    if np.isnan(features).any():
        where = int(np.isnan(features).any(axis=1).argmax())
        raise InputError(name, "numbers", f"nan in row {where}", "Remove such rows.")
    where = int(np.abs(features).max(axis=1).argmax())
    farthest = features[where][np.abs(features[where]).argmax()]
    raise InputError(
        name,
        f"within +-{LARGEST_FEATURE:g}, so that distances are numbers",
        f"{far_out(farthest)} in row {where}",
        "Remove such rows, or scale the features down.",
    )


def far_out(feature: float) -> str:
    """Return a feature that is too large, in words; finite data may have infinite ones."""
    return f"{feature:g}" if np.isfinite(feature) else f"one far beyond {LARGEST_FEATURE:g}"


def _checked(
    source: Floats, core: Floats, actions: Int32, num_actions: int, k: int, threads: int | None
) -> _Task:
    check_features(source, "source_features")
    check_features(core, "core_features")
    if source.shape != core.shape:
        raise InputError("core_features", f"of shape {source.shape}", f"shape {core.shape}")
    if actions.shape != (len(source),):
        raise InputError("actions", f"of shape ({len(source)},)", f"shape {actions.shape}")
    if actions.min() < 0 or actions.max() >= num_actions:
        received = f"{actions.min()} to {actions.max()}"
        raise InputError("actions", f"from 0 to num_actions - 1 = {num_actions - 1}", received)
    rows_of = [np.flatnonzero(actions == a).astype(np.int32) for a in range(num_actions)]
    return _Task(source, core, tuple(rows_of), k, threads or available_threads())


def _peak_bytes() -> int:
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
