"""Blocks of states, and the threads that work on them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np

from ..arrays import Int64
from ..kernels.compiling import watch_compiling
from ..kernels.meeting import ABANDONED, POSSIBLE, SLOTS
from ..kernels.team import GROUP, PROGRESS, Team
from ..parallel import available_threads
from .crew import Crew

SMALL = 20_000
"""States up to which one block is quicker than handing work to threads."""
BLOCKS = 4
"""Fixed, so that the bits do not depend on the number of threads; more threads stay idle."""

PART_STATES, MOST_PARTS = 25_000, 8
"""Blocks meet so often in a sweep that meeting stays cheap beside the work."""

CROWDED, NOTICEABLE, CALLS_ALONE = 0.8, 0.002, 20
"""Threads that are busy for less of so many seconds wait for processors that others use. Then
one thread does the work for some calls: it never waits. The bits are the same."""


class Blocks:
    """Runs a kernel on all blocks of states, and waits for it."""

    def __init__(self, size: int, threads: int | None) -> None:
        watch_compiling()  # here, where every solve begins
        count = 1 if size <= SMALL else BLOCKS
        inner = [size * block // count // GROUP * GROUP for block in range(1, count)]
        self.bounds = list(pairwise([0, *inner, size]))
        self._crew = Crew(min(threads or available_threads(), count))
        self._calls_alone = 0

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return [kernel(lo, hi, *arguments) for every block]."""
        results: list[Any] = [None] * len(self.bounds)
        waiting = deque(enumerate(self.bounds))

        def work(member: int) -> None:
            while True:
                try:
                    block, bounds = waiting.popleft()
                except IndexError:
                    return
                results[block] = kernel(*bounds, *arguments)

        self._crew.together(work)
        return results

    def team(self, edges: Int64 | None = None) -> Team:
        """Return what threads that meet inside a kernel share, fresh.

        Args:
            edges: [blocks + 1] of other blocks than those of all states, as many.
        """
        if edges is None:
            edges = np.array([lo for lo, _ in self.bounds] + [self.bounds[-1][1]], np.int64)
        count, size = len(edges) - 1, int(edges[-1])
        groups = -(-size // GROUP)
        return Team(
            counters=np.zeros(SLOTS, np.int64),
            edges=edges,
            parts=min(MOST_PARTS, max(1, size // PART_STATES)),
            changes=np.zeros(count),
            peaks=np.zeros(count),
            progress=np.zeros(PROGRESS),
            moves=np.zeros(groups, np.float32),
            awake=np.ones(groups, np.bool_),
        )

    def together(self, kernel: Callable[..., None], team: Team, *arguments: Any) -> None:
        """Run kernel(member, members, team, *arguments) as every member, at the same time."""
        members = self._crew.size
        if members == 1 or not POSSIBLE:
            kernel(0, 1, team, *arguments)
            return
        if self._calls_alone > 0:
            self._calls_alone -= 1
            kernel(0, 1, team, *arguments)
            return

        def abandon() -> None:
            team.counters[ABANDONED] = 1

        def work(member: int) -> None:
            try:
                kernel(member, members, team, *arguments)
            except BaseException:
                # Those who came must not wait for one who does not.
                abandon()
                raise

        began, busy = time.perf_counter(), time.process_time()
        self._crew.together(work, abandon)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        if seconds > NOTICEABLE and busy < CROWDED * members * seconds:
            self._calls_alone = CALLS_ALONE

    def __enter__(self) -> Blocks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._crew.close()
