"""Limits of a request: the size of its body, its time, and how many at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..arguments import number, whole_number
from .problems import Problem

MEGABYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """What one request, and all together, may take.

    Attributes:
        body_bytes: of a request; beyond it the answer is 413.
        seconds: from the first byte of the body to the last of the answer; beyond it 408 where
            the body is late, else 503.
        concurrency: requests that are answered at once; beyond it 429.
        connections: that are open at once; beyond it new ones are closed.
        header_seconds: until the headers of a request are there; beyond it the connection is
            closed.
        header_bytes: of all headers; beyond it 431.
        idle_seconds: that a connection may stay open between two requests.
        shutdown_seconds: for requests that are under way when the server stops.
    """

    body_bytes: int = 64 * MEGABYTE
    seconds: float = 30.0
    concurrency: int = 256
    connections: int = 1_024
    header_seconds: float = 10.0
    header_bytes: int = 65_536
    idle_seconds: float = 75.0
    shutdown_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name in ("body_bytes", "concurrency", "connections", "header_bytes"):
            whole_number(name, getattr(self, name))
        for name in ("seconds", "header_seconds", "idle_seconds", "shutdown_seconds"):
            number(name, getattr(self, name), above=0.0)


class Limited:
    """ASGI middleware: keeps the limits.

    Args:
        app: what it wraps.
        limits: to keep.
        untimed: paths that may take as long as they like, such as streams of events.
    """

    def __init__(self, app: ASGIApp, limits: Limits, untimed: frozenset[str] = frozenset()) -> None:
        self._app, self._limits, self._untimed = app, limits, untimed
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._limits.body_bytes)
        _check_length(scope, self._limits.body_bytes)
        if self._running >= self._limits.concurrency:
            sentence = f"{self._running} requests are being answered, as many as may be."
            raise Problem(429, sentence, {"retry-after": "1"})
        self._running += 1
        try:
            limit = None if scope["path"] in self._untimed else self._limits.seconds
            async with asyncio.timeout(limit):
                await self._app(scope, body.receive, send)
        except TimeoutError:
            if not body.whole:
                sentence = f"The body did not arrive within {self._limits.seconds:g} seconds."
                raise Problem(408, sentence, {"connection": "close"}) from None
            sentence = f"No answer was ready within {self._limits.seconds:g} seconds."
            raise Problem(503, sentence, {"retry-after": "1"}) from None
        finally:
            self._running -= 1


class _Body:
    """The body on its way in: how much of it came, and whether that was all."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left, self._most = receive, most, most
        self.whole = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
            if self._left < 0:
                raise _too_large(self._most)
        return message


def _check_length(scope: Scope, most: int) -> None:
    for name, value in scope["headers"]:
        if name == b"content-length" and int(value) > most:
            raise _too_large(most)


def _too_large(most: int) -> Problem:
    sentence = f"A body may have {most:,} bytes at most; send smaller batches."
    return Problem(413, sentence, {"connection": "close"})
