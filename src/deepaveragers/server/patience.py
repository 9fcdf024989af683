"""HTTP connections that are not waited for without end.

uvicorn limits neither how many connections are open, nor how long or how large the headers of a
request may be: a client that sends one byte a minute would keep a connection for ever.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .limits import Limits

TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
SENTENCE = b'{"error":"The headers of a request are too large."}'
REFUSAL = (
    TOO_LARGE + b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
) % len(SENTENCE) + SENTENCE


def protocol_with(limits: Limits) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with limits on connections and headers."""

    class Patient(HttpToolsProtocol):
        _waiting: TimerHandle | None = None
        _header_bytes = 0

        def connection_made(self, transport: Any) -> None:
            if len(self.connections) >= limits.connections:
                self.transport = transport
                transport.abort()
                return
            super().connection_made(transport)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._came()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._waiting is None and (self.cycle is None or self.cycle.response_complete):
                self._wait()
            if self._waiting is not None:
                self._header_bytes += len(data)
            super().data_received(data)
            if self._waiting is not None and self._header_bytes > limits.header_bytes:
                self.transport.write(REFUSAL)
                self.transport.close()

        def on_headers_complete(self) -> None:
            self._came()
            super().on_headers_complete()

        def _wait(self) -> None:
            """Close the connection unless headers are there in time."""
            self._header_bytes = 0
            self._waiting = self.loop.call_later(limits.header_seconds, self.transport.abort)

        def _came(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

    return Patient
