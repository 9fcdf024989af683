"""Memory that was freed goes back to the system.

glibc keeps freed blocks for later, in up to eight arenas per processor. Plans come and go by the
hundred, estimates need much for a moment, and what stays between them keeps the arenas large: after
two minutes of questions and estimates on 50,000 states 387 of 742 MB there were free, and the
process grew by some MB a minute although what it held did not. `malloc_trim` gives free pages
back. It takes 2 to 70 ms beside the other threads, so it is called every ten seconds at most, and
never without work before it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
        """Give memory back in a thread of its own."""
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


def trim() -> bool:
    """Give free pages of the heap back; return whether there were any. Elsewhere than with glibc
    nothing happens."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    trimming = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trimming is not None and bool(trimming(0))
