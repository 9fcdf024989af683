"""Blocks of states, and the threads that work on them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import InputError

SMALL = 20_000
"""States up to which one block is quicker than handing work to threads."""
BLOCKS = 4
"""With up to so many threads the blocks, and so the bits, are the same."""


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Blocks:
    """Runs a kernel on all blocks of states, and waits for it."""

    def __init__(self, size: int, threads: int | None) -> None:
        if threads is not None and (isinstance(threads, bool) or threads < 1):
            raise InputError("threads", "a whole number >= 1, or None", threads)
        workers = threads or available_cores()
        count = 1 if size <= SMALL else max(BLOCKS, workers)
        edges = np.linspace(0, size, count + 1).astype(int).tolist()
        self.bounds = list(pairwise(edges))
        workers = min(workers, count)
        self._pool = ThreadPoolExecutor(workers, "planner") if workers > 1 else None

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return [kernel(lo, hi, *arguments) for every block]."""
        if self._pool is None:
            return [kernel(lo, hi, *arguments) for lo, hi in self.bounds]
        waiting = [self._pool.submit(kernel, lo, hi, *arguments) for lo, hi in self.bounds]
        try:
            return [future.result() for future in waiting]
        finally:
            # After an interruption too, nobody writes any more when this returns.
            wait(waiting)

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
