"""Memory that was freed goes back to the system.

Plans come and go by the hundred, and estimates need much for a moment. glibc gives a large block
pages of its own, which go back as soon as it is freed; but it raises the size from which it does
so to that of the largest that was freed, up to 32 MB. Then plans lie among other blocks, and the
gaps that they leave stay: on 50,000 states the process grew by up to 20 MB a minute under random
clicks, although what it held did not. So that size is kept fixed.

Smaller blocks that were freed are kept for later, in up to eight arenas per processor.
`malloc_trim` gives their pages back. It takes 2 to 70 ms beside the other threads, so it is called
every ten seconds at most, and never without work before it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

OWN_PAGES_BYTES = 256 << 10
"""Blocks from this size on have pages of their own, which go back as soon as they are freed."""
M_MMAP_THRESHOLD = -3
"""Its number in glibc's malloc.h."""
SECONDS = 10.0
"""From some work until what it freed goes back."""


class FreedMemory:
    """Calls `give_back` some time after work.

    Args:
        give_back: what gives memory back.
        seconds: to wait after work; what is freed meanwhile goes back with it.
    """

    def __init__(
        self, give_back: Callable[[], object] | None = None, seconds: float = SECONDS
    ) -> None:
        self._give_back = give_back or trim
        self._seconds = seconds
        self._worked, self._ending = threading.Event(), threading.Event()

    def worked(self) -> None:
        """Say that something was made, so that something may have been freed."""
        self._worked.set()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Give memory back: large blocks at once, others in a thread of its own."""
        separate_large_blocks()
        thread = threading.Thread(target=self._run, name="freed-memory", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ending.set()
            self._worked.set()
            thread.join()

    def _run(self) -> None:
        while self._worked.wait() and not self._ending.wait(self._seconds):
            self._worked.clear()
            self._give_back()


def separate_large_blocks() -> bool:
    """Give large blocks pages of their own for the rest of this process; false without glibc."""
    setting = _of_malloc("mallopt")
    return setting is not None and bool(setting(M_MMAP_THRESHOLD, OWN_PAGES_BYTES))


def trim() -> bool:
    """Give free pages of the heap back; return whether there were any. Elsewhere than with glibc
    nothing happens."""
    trimming = _of_malloc("malloc_trim")
    return trimming is not None and bool(trimming(0))


def _of_malloc(name: str) -> Any | None:
    """Return a function of glibc's; None elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    return getattr(ctypes.CDLL(None), name, None)
