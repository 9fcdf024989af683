"""Blocks of states, and the threads that work on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.meeting import ABANDONED, POSSIBLE, SLOTS
from ..kernels.team import PROGRESS, Team
from ..neighbors.threads import available_threads

SMALL = 20_000
"""States up to which one block is quicker than handing work to threads."""
BLOCKS = 4
"""Fixed, so that the bits do not depend on the number of threads; more threads stay idle."""

PART_STATES, MOST_PARTS = 25_000, 8
"""Blocks meet so often in a sweep that handing out work stays cheap beside the work."""

CROWDED, NOTICEABLE, CALLS_ALONE = 0.7, 0.002, 20
"""Threads that are busy for less of so many seconds wait for processors that others use. Then
one thread does the work for some calls: it never waits. The bits are the same."""


class Blocks:
    """Runs a kernel on all blocks of states, and waits for it."""

    def __init__(self, size: int, threads: int | None) -> None:
        if threads is not None and (isinstance(threads, bool) or threads < 1):
            raise InputError("threads", "a whole number >= 1, or None", threads)
        workers = threads or available_threads()
        count = 1 if size <= SMALL else BLOCKS
        edges = np.linspace(0, size, count + 1).astype(int).tolist()
        self.bounds = list(pairwise(edges))
        self.parts = min(MOST_PARTS, max(1, size // PART_STATES))
        workers = min(workers, count)
        self._members = workers if POSSIBLE else 1
        self._alone = 0
        self._pool = ThreadPoolExecutor(workers, "planner") if workers > 1 else None

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return [kernel(lo, hi, *arguments) for every block]."""
        if self._pool is None:
            return [kernel(*bounds, *arguments) for bounds in self.bounds]
        waiting = [self._pool.submit(kernel, *bounds, *arguments) for bounds in self.bounds]
        try:
            return [future.result() for future in waiting]
        finally:
            # After an interruption too, nobody writes any more when this returns.
            wait(waiting)

    def team(self) -> Team:
        """Return what threads that meet inside a kernel share, fresh."""
        count = len(self.bounds)
        return Team(
            counters=np.zeros(SLOTS, np.int64),
            edges=np.array([lo for lo, _ in self.bounds] + [self.bounds[-1][1]], np.int64),
            parts=self.parts,
            changes=np.zeros(count),
            peaks=np.zeros(count),
            progress=np.zeros(PROGRESS),
        )

    def together(self, kernel: Callable[..., None], team: Team, *arguments: Any) -> None:
        """Run kernel(member, members, team, *arguments) as every member, at the same time."""
        if self._pool is None or self._members == 1 or self._alone > 0:
            self._alone -= 1
            kernel(0, 1, team, *arguments)
            return
        members = self._members
        began, busy = time.perf_counter(), time.process_time()
        waiting: list[Future[None]] = []
        try:
            for member in range(1, members):
                waiting.append(self._pool.submit(kernel, member, members, team, *arguments))
            kernel(0, members, team, *arguments)
        except BaseException:
            # Those who came must not wait for those who do not.
            team.counters[ABANDONED] = 1
            raise
        finally:
            wait(waiting)
        for future in waiting:
            future.result()
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        if seconds > NOTICEABLE and busy < CROWDED * members * seconds:
            self._alone = CALLS_ALONE

    def __enter__(self) -> Blocks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
