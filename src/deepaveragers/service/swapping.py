"""Hot swap: another policy at the path, or SIGHUP, and the next request is decided by it.

The new policy is checked and loaded beside the old one. A bad one is refused, logged and counted,
and the old one goes on.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ..errors import DeepAveragersError
from ..storage.manifest import MANIFEST
from .current import Current
from .metrics import Metrics

WATCH_SECONDS = 0.5
"""Between two looks at the manifest."""

Stamp = tuple[int, int, int] | None


class Swapper:
    """Watches a policy's file.

    Args:
        path: of the policy.
        current: holds what is served.
        log: of the server.
        metrics: of the server.
    """

    def __init__(self, path: Path, current: Current, log: logging.Logger, metrics: Metrics) -> None:
        self._manifest = path / MANIFEST
        self._current, self._log, self._metrics = current, log, metrics
        self._turn = asyncio.Lock()
        self._seen = _stamp(self._manifest)

    async def swap(self) -> bool:
        """Load what is at the path now; return whether it is served from now on."""
        async with self._turn:
            self._seen = _stamp(self._manifest)
            old = self._current.served.plan
            try:
                new = await asyncio.to_thread(self._current.reload)
            except (DeepAveragersError, OSError, MemoryError) as error:
                self._metrics.swaps.labels("refused").inc()
                self._log.error("policy refused", extra={"reason": str(error), "serving": old})
                return False
            result = "unchanged" if new.plan == old else "swapped"
            self._metrics.swaps.labels(result).inc()
            self._metrics.serving(new)
            known = new.acting.summary()
            told = {name: known[name] for name in ("support_threshold", "fallback")}
            self._log.info(f"policy {result}", extra={"before": old, "plan": new.plan, **told})
            return True

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Swap at SIGHUP, and whenever the manifest is another file."""
        loop, tasks = asyncio.get_running_loop(), set[asyncio.Task[bool]]()

        def begin() -> None:
            task = loop.create_task(self.swap())
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        with suppress(ValueError, RuntimeError, AttributeError, NotImplementedError):
            loop.add_signal_handler(signal.SIGHUP, begin)
        watch = loop.create_task(self._watch())
        try:
            yield
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = _stamp(self._manifest)
            if now is not None and now != self._seen:
                await self.swap()


def _stamp(file: Path) -> Stamp:
    """Return what changes when a file is replaced; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
