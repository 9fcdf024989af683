"""Telling whoever waits how far a fit has come; who raises there ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable

Watch = Callable[[int, int], None]
"""Called with the steps that are done and their number, by any thread."""


def watched(watch: Watch | None, steps: int) -> Callable[[], None]:
    """Return what to call after each of the steps."""
    if watch is None:
        return lambda: None
    done, lock = 0, threading.Lock()

    def step() -> None:
        nonlocal done
        with lock:
            done += 1
            now = done
        watch(min(now, steps), steps)

    return step
