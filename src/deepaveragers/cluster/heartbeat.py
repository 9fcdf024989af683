"""A sign of life: a file that a running task writes to every second.

Ray notices a node that is gone or hangs, but may wait for ever for a task that began on one that
hangs; and a process that is stopped, or a disk that hangs, it does not notice. The driver counts
its own looks in which nothing changed, not seconds, so that clocks need not agree and a driver
that was itself stopped for a while does not take all others for dead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

BEAT_SECONDS = 1.0
LOOK_SECONDS = 0.5
"""Between two looks of the driver."""
MOST_LOOKS = 16
"""Looks without a sign of life after which a task counts as hung: 8 s."""


def run_with_heartbeat(file: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function, on a node, and write signs of life to a file meanwhile."""
    from .session import import_ray

    node = import_ray().get_runtime_context().get_node_id()
    with _beating(Path(file), node):
        return function(*arguments)


@contextmanager
def _beating(file: Path, node: str) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        count = 0
        while not over.is_set():
            count += 1
            with suppress(OSError):  # the next one may succeed
                file.write_text(f"{node} {count}")
            over.wait(BEAT_SECONDS)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        with suppress(OSError):
            file.unlink(missing_ok=True)


class Pulse:
    """What the driver sees of one running task."""

    def __init__(self, file: Path) -> None:
        self._file, self._last, self._looks = file, "", 0

    @property
    def begun(self) -> bool:
        """Whether the task has given a sign of life."""
        return bool(self._last)

    def hangs(self, alive: Collection[str]) -> bool:
        """Look once more; whether the task's node is gone, or it gives no sign for too long."""
        try:
            now = self._file.read_text()
        except OSError:
            now = self._last
        self._looks = self._looks + 1 if now == self._last else 0
        self._last = now
        gone = self._last.partition(" ")[0] not in alive
        return self.begun and (gone or self._looks >= MOST_LOOKS)
