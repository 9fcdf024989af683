"""Threads that work at the same time, and have all left when the caller goes on.

Threads that wait for each other inside a kernel must all run at once, so helpers have no other
work. After an interruption they are waited for and replaced: none writes to an array any more.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait


class Workers:
    """The caller and its helpers; `size` of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._helpers = self._hired()

    def run(self, work: Callable[[int], None], abandon: Callable[[], None] = lambda: None) -> None:
        """Run work(worker) as every worker at the same time; raise what one of them raised.

        Worker 0 is the caller; `abandon` is called when it is interrupted, so that nobody waits.
        """
        try:
            parts = [self._helpers.submit(work, worker) for worker in range(1, self.size)]
            work(0)
            wait(parts)
        except BaseException:
            self._dismiss(abandon)
            raise
        while parts:  # What failed holds this frame: it must not hold what failed.
            parts.pop().result()

    def close(self) -> None:
        """Let the helpers go."""
        self._helpers.shutdown()

    def _hired(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max(1, self.size - 1), thread_name_prefix="planner")

    def _dismiss(self, abandon: Callable[[], None]) -> None:
        """Wait until the helpers are through with all they were given, whatever interrupts."""
        while True:
            try:
                abandon()
                self._helpers.shutdown()
                self._helpers = self._hired()
            except KeyboardInterrupt:
                continue
            return
