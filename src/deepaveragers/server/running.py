"""Running a server: the socket first, a word when it is ready, and an end without loss."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from ..errors import InputError
from .limits import Limits
from .patience import protocol_with

STOPPING = (signal.SIGINT, signal.SIGTERM)
LARGEST_PORT = 65_535
WAITING_CONNECTIONS = 2_048


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket at the address; port 0 takes a free one.

    Bound before anything is loaded, so that an address in use is said at once.
    """
    if not 0 <= port <= LARGEST_PORT:
        raise InputError("port", f"a whole number in 0..{LARGEST_PORT}", port)
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InputError("host", "an address of this machine", f"{host!r} ({error})") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(WAITING_CONNECTIONS)
    except OSError as error:
        bound.close()
        reason = f"{host}:{port} ({(error.strerror or str(error)).lower()})"
        raise InputError("port", "free at this host", reason, "Choose another one.") from error
    return bound


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address of a server, as a client writes it."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"


def run(
    app: ASGIApp,
    bound: socket.socket,
    *,
    limits: Limits,
    log: logging.Logger,
    ready: Callable[[], None],
    done: Callable[[], object] = lambda: None,
    websockets: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM, then end what is under way and return.

    Args:
        app: the application.
        bound: where to listen, see `bound_socket`.
        limits: on connections, headers and the time to stop.
        log: gets what the server has to say.
        ready: called once when requests are answered.
        done: asked a few times a second; the server stops once it returns something true.
        websockets: whether connections may become WebSockets.
    """
    config = uvicorn.Config(
        app,
        http=protocol_with(limits),
        ws="auto" if websockets else "none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=WAITING_CONNECTIONS,
        timeout_keep_alive=int(max(1.0, limits.idle_seconds)),
        timeout_graceful_shutdown=int(max(1.0, limits.shutdown_seconds)),
    )
    with _spoken_to(log):
        _Server(config, ready, done).run(sockets=[bound])


class _Server(uvicorn.Server):
    """uvicorn's server, that says when it is ready and leaves in peace when it is told to stop."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], done: Callable[[], object]
    ) -> None:
        super().__init__(config)
        self._ready, self._done = ready, done

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or bool(self._done())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            # What is loaded by now stays: collections need not look at it again and again.
            gc.freeze()
            self._ready()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at a signal, as uvicorn does, but do not raise it again: stopping was asked for."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[signal.Signals, Any] = {
            one: signal.signal(one, self.handle_exit) for one in STOPPING
        }
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


@contextmanager
def _spoken_to(log: logging.Logger) -> Generator[None, None, None]:
    """Have uvicorn write warnings and errors to the log while it runs."""
    theirs = logging.getLogger("uvicorn.error")
    handlers, propagate, level = theirs.handlers, theirs.propagate, theirs.level
    theirs.handlers, theirs.propagate = list(log.handlers), False
    theirs.setLevel(logging.WARNING)
    try:
        yield
    finally:
        theirs.handlers, theirs.propagate = handlers, propagate
        theirs.setLevel(level)
