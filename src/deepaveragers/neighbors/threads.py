"""Sharing work between threads: kernels run without the interpreter's lock.

Plain threads rather than a numba threading layer: safe beside fork, and interruptible between
parts. Every query is answered by itself, so the parts do not change the answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

SMALLEST_PART, LARGEST_PART = 64, 1024


def available_threads() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(work: Callable[[slice], None], total: int, threads: int) -> None:
    """Do the work on all items, slice by slice; an interrupt waits only for those begun."""
    part = min(max(total // (4 * threads), SMALLEST_PART), LARGEST_PART)
    parts = [slice(start, min(total, start + part)) for start in range(0, total, part)]
    if threads <= 1 or len(parts) <= 1:
        for one in parts:
            work(one)
        return
    with ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(work, one) for one in parts]
        try:
            for task in tasks:
                task.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
