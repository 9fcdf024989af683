"""Runs the studio on this machine, and opens it in a browser."""

from __future__ import annotations

import logging
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette

from ..server.application import application
from ..server.guard import Door, door_for, new_token
from ..server.limits import MEGABYTE, Limits
from ..server.logs import server_log
from ..server.running import address_of, bound_socket, run
from .app import routes_of
from .page_headers import PageHeaders
from .session import Session
from .source import Source
from .studio import Studio

HOST = "127.0.0.1"
LIMITS = Limits(body_bytes=16 * MEGABYTE, seconds=600.0, concurrency=128, shutdown_seconds=1.0)
"""A lasso around a million states fits; a first plan of many millions takes minutes."""
EVENTS = frozenset({"/api/events"})


def guarded(studio: Studio, door: Door) -> Starlette:
    """Return the studio's application behind its door."""
    log = server_log(sys.stderr)
    app = application(
        routes_of(studio),
        door=door,
        limits=LIMITS,
        log=log,
        lifespan=studio.lifespan,
        untimed=EVENTS,
    )
    app.add_middleware(PageHeaders)
    return app


def serve(
    load: Callable[[], Source],
    output: Path,
    port: int,
    *,
    browser: bool,
    say: Callable[[Source, str], None],
) -> None:
    """Serve until Ctrl-C.

    Args:
        load: brings the model, once the port is known to be free.
        output: the folder that exports go to.
        port: 0 takes any that is free.
        browser: whether to open the page.
        say: is told the model and the address.
    """
    with bound_socket(HOST, port) as bound:
        source, token = load(), new_token()
        # Cookies are sent to all ports of a host: each studio has its own.
        cookie = f"dac_studio_{bound.getsockname()[1]}"
        studio = Studio(Session(source, output))
        app = guarded(studio, door_for(HOST, token, cookie=cookie))
        address = f"{address_of(bound, HOST)}/?token={token}"

        def ready() -> None:
            say(source, address)
            if browser:
                webbrowser.open(address)

        with studio.running():
            run(app, bound, limits=LIMITS, log=_silent_log(), ready=ready)


def _silent_log() -> logging.Logger:
    """Return what uvicorn writes to: tabs that are open at Ctrl-C are no news.

    Mistakes of our own go to the application's log.
    """
    log = server_log(sys.stderr)
    for handler in log.handlers:
        handler.setLevel(logging.CRITICAL)
    return log
