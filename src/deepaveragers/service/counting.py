"""ASGI middleware that counts requests, and times and logs them."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics

OTHER = "other"


class Counted:
    """The outermost middleware: it sees refusals too.

    Args:
        app: what it wraps.
        metrics: of the server.
        log: gets a line for every request; None where it does not.
        paths: that are counted by name; others, which may be anything, together.
    """

    def __init__(
        self, app: ASGIApp, metrics: Metrics, log: logging.Logger | None, paths: frozenset[str]
    ) -> None:
        self._app, self._metrics, self._log, self._paths = app, metrics, log, paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, begin = 0, time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - begin
            path = scope["path"] if scope["path"] in self._paths else OTHER
            self._metrics.requests.labels(path, status).inc()
            self._metrics.seconds.labels(path).observe(seconds)
            if self._log is not None:
                about = {"path": path, "status": status, "seconds": round(seconds, 6)}
                self._log.info("request", extra={"method": scope["method"], **about})
