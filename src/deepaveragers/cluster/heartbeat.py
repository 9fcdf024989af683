"""A sign of life: a file that a running task writes to every second.

Ray notices a node that is gone. One that hangs it notices late, and then may wait for ever for a
task that began there; a process that is stopped, or a disk that hangs, it does not notice. The
driver measures silence by its own clock, so that clocks need not agree. It counts little of a long
pause between two looks: a driver that was itself stopped does not take all others for dead.

A task that is given up ends itself when it sees a file that says so. Ray's own `cancel` is not
used: where it meets a task that is just returning, it ends the driver's process (Ray 2.60, "Tried
to complete task that was not pending").
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

BEAT_SECONDS = 1.0
LOOK_SECONDS = 0.5
"""Between two looks of the driver."""
SILENCE_SECONDS = 7.0
"""Without a sign of life, after which a task counts as hung. The driver sees it one look later at
most."""
MOST_COUNTED_SECONDS = 2 * LOOK_SECONDS
"""Of the time between two looks that counts as silence."""


def give_up(file: Path) -> None:
    """Have the task of a file end; one that has not begun will do nothing."""
    with suppress(OSError):
        _end_of(file).touch()


def _end_of(file: Path) -> Path:
    return file.with_suffix(".end")


def run_with_heartbeat(file: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function, on a node, and write signs of life to a file meanwhile."""
    from .session import import_ray

    if _end_of(Path(file)).exists():
        return None
    node = import_ray().get_runtime_context().get_node_id()
    with _beating(Path(file), node):
        return function(*arguments)


@contextmanager
def _beating(file: Path, node: str) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        count = 0
        while not over.is_set():
            if _end_of(file).exists():
                os._exit(1)  # files are written by rename: none is left half
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
        self.file, self._last = file, ""
        self._seen, self._silent = time.monotonic(), 0.0

    @property
    def begun(self) -> bool:
        """Whether the task has given a sign of life."""
        return bool(self._last)

    @property
    def node(self) -> str:
        """The node that the task began on; empty before."""
        return self._last.partition(" ")[0]

    @property
    def complaint(self) -> str:
        """What is wrong with a task that hangs."""
        return f"no sign of life for {self._silent:.1f} s"

    def hangs(self, alive: Collection[str]) -> bool:
        """Look once more; whether the task's node is gone, or it gives no sign for too long."""
        try:
            now = self.file.read_text()
        except OSError:
            now = self._last
        moment = time.monotonic()
        passed = min(moment - self._seen, MOST_COUNTED_SECONDS)
        self._silent = self._silent + passed if now == self._last else 0.0
        self._last, self._seen = now, moment
        return self.begun and (self.node not in alive or self._silent >= SILENCE_SECONDS)
