"""Searching lists of a changed graph in full: with the cached indexes, or new ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Float32, Floats, Int32, Int64
from ..parallel import do_all, parts_of
from .choice import EXACT
from .graph import NO_NEIGHBOR
from .index import NeighborIndex
from .index_cache import ActionIndexes
from .tuning import Tuning


@dataclass(frozen=True, eq=False)
class WantedLists:
    """States whose neighbours with an action have to be searched in full."""

    action: int
    states: Int64


@dataclass(frozen=True, eq=False)
class ListSearch:
    """The present rows, searched by the kind of index that the graph was searched with.

    Attributes:
        engine: its name.
        source: [N, D] features of the states that the transitions start from.
        core: [N, D] features of the states that they lead to.
        actions: [N] which action each took.
        num_actions: A.
        threads: how many share the work.
        tuning: of the search.
    """

    engine: str
    source: Floats
    core: Floats
    actions: Int32
    num_actions: int
    threads: int
    tuning: Tuning

    def indexed(self, jobs: Sequence[Callable[[], None]]) -> ActionIndexes:
        """Return new indexes of all rows, after having done some jobs beside building them."""
        built: dict[int, tuple[NeighborIndex | None, Int32]] = {}

        def build(action: int) -> None:
            built[action] = self._index(action)

        building = [partial(build, action) for action in range(self.num_actions)]
        if not self._one_thread_each:
            do_all(building, 1)
            building = []
        do_all([*building, *jobs], self.threads)
        indexes, rows = zip(*(built[action] for action in range(self.num_actions)))
        return ActionIndexes(indexes, rows, len(self.source))

    def search(
        self, wanted: Sequence[WantedLists], held: ActionIndexes, indices: Int32, distances: Float32
    ) -> None:
        """Write the lists of the wanted states anew, with the rows that are indexed."""
        k, failed = indices.shape[2], set()
        inner = 1 if self._one_thread_each else self.threads

        def write(action: int, states: Int64, part: slice) -> None:
            here = states[part]
            found = held.find(action, self.core[here], k, inner, self.tuning.spare_lookups)
            if found is None:
                failed.add(action)
            else:
                indices[here, action], distances[here, action] = found

        jobs = [
            partial(write, one.action, one.states, part)
            for one in wanted
            for part in self._parts(len(one.states))
        ]
        do_all(jobs, self.threads if self._one_thread_each else 1)
        for one in wanted:
            if one.action in failed:
                index, rows = self._index(one.action)
                assert index is not None
                places, gaps = index.query(self.core[one.states], k, threads=self.threads)
                found = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, rows[places]), gaps
                indices[one.states, one.action], distances[one.states, one.action] = found

    @property
    def _one_thread_each(self) -> bool:
        """Whether indexes are built and asked side by side; others than trees share their work."""
        return self.engine == "tree"

    def _parts(self, states: int) -> list[slice]:
        if not self._one_thread_each:
            return [slice(0, states)] if states else []
        sizes = self.tuning.least_part_states, self.tuning.most_part_states
        return parts_of(states, self.threads, smallest=sizes[0], largest=sizes[1])

    def _index(self, action: int) -> tuple[NeighborIndex | None, Int32]:
        """Return a new index of an action's rows, and their numbers."""
        rows = np.flatnonzero(self.actions == action).astype(np.int32)
        if len(rows) == 0:
            return None, rows
        return EXACT[self.engine](self.source.take(rows, axis=0), tuning=self.tuning), rows
