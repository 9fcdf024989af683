"""Sharing work between threads: kernels run without the interpreter's lock.

Plain threads rather than a numba threading layer: safe beside fork, and interruptible between
parts. Every query is answered by itself, so the parts do not change the answer.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from threading import Thread

SMALLEST_PART, LARGEST_PART = 64, 1024


def available_threads() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(work: Callable[[slice], None], total: int, threads: int) -> None:
    """Do the work on all items, slice by slice; an interrupt waits only for those begun."""
    do_all([partial(work, part) for part in parts_of(total, 4 * threads)], threads)


def parts_of(
    total: int, number: int, *, smallest: int = SMALLEST_PART, largest: int = LARGEST_PART
) -> list[slice]:
    """Return all items in slices, so many of them unless those were too small or too large."""
    part = min(max(-(-total // number), smallest), largest)
    return [slice(start, min(total, start + part)) for start in range(0, total, part)]


def do_all(jobs: Iterable[Callable[[], None]], threads: int) -> None:
    """Do the jobs, the first ones first.

    The caller works too, and nothing is handed over but the jobs: a pool costs more than a
    small batch.
    """
    waiting = deque(jobs)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            while (job := _first(waiting)) is not None:
                job()
        except BaseException as failure:
            waiting.clear()
            failures.append(failure)

    helpers = [Thread(target=run) for _ in range(min(threads, len(waiting)) - 1)]
    for helper in helpers:
        helper.start()
    run()
    for helper in helpers:
        helper.join()
    if failures:
        # Kept here, its traceback would keep this frame and all that the jobs held: a cycle, which
        # stays in memory until the garbage collector comes by.
        del failures[1:]
        raise failures.pop()


def _first(waiting: deque[Callable[[], None]]) -> Callable[[], None] | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None
