"""Sharing work between threads: kernels run without the interpreter's lock.

Plain threads rather than a numba threading layer: safe beside fork, and interruptible between
parts. Every query is answered by itself, so the parts do not change the answer.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from threading import Thread

SMALLEST_PART, LARGEST_PART = 64, 1024


def available_threads() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(work: Callable[[slice], None], total: int, threads: int) -> None:
    """Do the work on all items, slice by slice; an interrupt waits only for those begun.

    The caller works too, and nothing is handed over but the slices: a pool costs more than a
    small batch.
    """
    part = min(max(total // (4 * threads), SMALLEST_PART), LARGEST_PART)
    parts = deque(slice(start, min(total, start + part)) for start in range(0, total, part))
    failures: list[BaseException] = []

    def run() -> None:
        try:
            while (one := _first(parts)) is not None:
                work(one)
        except BaseException as failure:
            parts.clear()
            failures.append(failure)

    helpers = [Thread(target=run) for _ in range(min(threads, len(parts)) - 1)]
    for helper in helpers:
        helper.start()
    run()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]


def _first(parts: deque[slice]) -> slice | None:
    try:
        return parts.popleft()
    except IndexError:
        return None
