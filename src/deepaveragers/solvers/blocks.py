"""Blocks of states, and the threads that work on them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import numpy as np

from ..arrays import Int64
from ..kernels.bellman.barrier import ABANDONED, SLOTS
from ..kernels.bellman.sweep_state import PROGRESS, SweepState, part_of
from ..parallel import available_threads
from .iteration.tuning import TUNING, Tuning
from .workers import Workers

CROWDED = 0.8
"""Threads that are busy for less than this share of a call wait for processors that others use."""
MOST_CALLS_ALONE = 32
"""One thread then does the work of the next call: it never waits, and the bits are the same. If
they are crowded out again, it does that of the next two calls, and so on up to this many."""
NOTICEABLE_SECONDS = 0.002
"""Shorter calls say nothing of that."""


class Blocks:
    """Runs a kernel on all blocks of states, and waits for it; `edges` [blocks + 1] bound them."""

    def __init__(self, size: int, threads: int | None, tuning: Tuning = TUNING) -> None:
        self.tuning = tuning
        count = 1 if size <= tuning.single_block_states else tuning.blocks
        self.edges: Int64 = np.arange(count + 1, dtype=np.int64) * size // count
        self._workers = Workers(min(threads or available_threads(), count))
        self._calls_alone, self._next_alone = 0, 1

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return [kernel(lo, hi, *arguments) for every block]."""
        return self._run(list(pairwise(self.edges.tolist())), kernel, arguments)

    def run_parts(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return [kernel(lo, hi, *arguments) for every part of every block]."""
        state = self.sweep_state()
        parts = product(range(len(self.edges) - 1), range(state.parts))
        return self._run([part_of(state, *part) for part in parts], kernel, arguments)

    def _run(
        self, ranges: list[tuple[int, int]], kernel: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> list[Any]:
        results: list[Any] = [None] * len(ranges)
        waiting = deque(enumerate(ranges))

        def work(worker: int) -> None:
            while True:
                try:
                    block, bounds = waiting.popleft()
                except IndexError:
                    return
                results[block] = kernel(*bounds, *arguments)

        self._workers.run(work)
        return results

    def sweep_state(self, edges: Int64 | None = None) -> SweepState:
        """Return what workers share inside a kernel; `edges` are those of other blocks, as many."""
        edges = self.edges if edges is None else edges
        changes, peaks = np.zeros((2, len(edges) - 1))
        return SweepState(
            counters=np.zeros(SLOTS, np.int64),
            edges=edges,
            parts=min(self.tuning.most_parts, max(1, int(edges[-1]) // self.tuning.part_states)),
            changes=changes,
            peaks=peaks,
            progress=np.zeros(PROGRESS),
        )

    def run_together(self, kernel: Callable[..., None], state: SweepState, *arguments: Any) -> None:
        """Run kernel(worker, workers, state, *arguments) as every worker, at the same time."""
        workers = self._workers.size
        if workers == 1 or self._calls_alone > 0:
            self._calls_alone = max(0, self._calls_alone - 1)
            kernel(0, 1, state, *arguments)
            return

        def abandon() -> None:
            state.counters[ABANDONED] = 1

        def work(worker: int) -> None:
            try:
                kernel(worker, workers, state, *arguments)
            except BaseException:
                # Those who came must not wait for one who does not.
                abandon()
                raise

        began, busy = time.perf_counter(), time.process_time()
        self._workers.run(work, abandon)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        if seconds < NOTICEABLE_SECONDS:
            return
        if busy < CROWDED * workers * seconds:
            self._calls_alone = self._next_alone
            self._next_alone = min(2 * self._next_alone, MOST_CALLS_ALONE)
        else:
            self._next_alone = 1

    def __enter__(self) -> Blocks:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()
