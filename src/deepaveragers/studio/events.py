"""What the server tells the tabs of its own accord: server-sent events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import msgspec

WAITING = 256
"""Events that a tab may be behind; then the oldest are dropped."""
HEARTBEAT_SECONDS = 15.0
"""A comment is sent so often, so that a closed tab is noticed."""
MOST_LISTENERS = 64


class Events:
    """Passes events on to all tabs that listen; `tell` may be called from any thread."""

    def __init__(self) -> None:
        self._listeners: dict[asyncio.Queue[bytes], tuple[str, asyncio.AbstractEventLoop]] = {}
        self._lock = threading.Lock()

    @property
    def listeners(self) -> int:
        """How many tabs listen."""
        return len(self._listeners)

    def tell(self, event: dict[str, Any], tab: str | None = None) -> None:
        """Send an event to one tab, or to all."""
        line = b"data: " + msgspec.json.encode(event) + b"\n\n"
        with self._lock:
            listeners = list(self._listeners.items())
        for queue, (name, loop) in listeners:
            if (tab is None or tab == name) and not loop.is_closed():
                loop.call_soon_threadsafe(_put, queue, line)

    async def listen(self, tab: str) -> AsyncIterator[bytes]:
        """Yield events as lines of `text/event-stream`, until the listener goes away."""
        queue: asyncio.Queue[bytes] = asyncio.Queue(WAITING)
        with self._lock:
            while len(self._listeners) >= MOST_LISTENERS:
                self._listeners.pop(next(iter(self._listeners)))
            self._listeners[queue] = (tab, asyncio.get_running_loop())
        try:
            yield b": here\n\n"
            while queue in self._listeners:
                try:
                    yield await asyncio.wait_for(queue.get(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            with self._lock:
                self._listeners.pop(queue, None)


def _put(queue: asyncio.Queue[bytes], line: bytes) -> None:
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(line)
