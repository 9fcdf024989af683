"""Runs the studio on this machine, and opens it in a browser."""

from __future__ import annotations

import logging
import sys
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route

from ..server.application import application
from ..server.guard import Door, door_for, new_token
from ..server.limits import MEGABYTE, Limits
from ..server.logs import server_log
from ..server.running import address_of, bound_socket, run
from .opening import Opening
from .page_files import page_route
from .page_headers import PageHeaders

if TYPE_CHECKING:
    from .source import Source
    from .studio import Studio

HOST = "127.0.0.1"
LIMITS = Limits(body_bytes=16 * MEGABYTE, seconds=600.0, concurrency=128, shutdown_seconds=1.0)
"""A lasso around a million states fits."""
UNTIMED = frozenset({"/api/events", "/api/model", "/api/axes", "/api/opening"})
"""Events never end; the others wait for a model, which may have to be compiled first."""


def guarded(
    routes: Sequence[BaseRoute], door: Door, lifespan: Callable[[Starlette], Any] | None = None
) -> Starlette:
    """Return an application of the studio's routes behind its door."""
    log = server_log(sys.stderr)
    app = application(routes, door=door, limits=LIMITS, log=log, lifespan=lifespan, untimed=UNTIMED)
    app.add_middleware(PageHeaders)
    return app


def serve(
    load: Callable[[], Source],
    output: Path,
    port: int,
    *,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C, or until the model turns out not to be readable.

    Args:
        load: brings the model; it runs beside the server, which has the page already.
        output: the folder that exports go to.
        port: 0 takes any that is free.
        browser: whether to open the page.
        say: is told the address.
    """
    with bound_socket(HOST, port) as bound:
        token = new_token()
        # Cookies are sent to all ports of a host: each studio has its own.
        cookie = f"dac_studio_{bound.getsockname()[1]}"
        opening = Opening(lambda: _studio(load, output))
        app = guarded(
            [Route("/api/{path:path}", opening), page_route()],
            door_for(HOST, token, cookie=cookie),
            opening.lifespan,
        )
        address = f"{address_of(bound, HOST)}/?token={token}"

        def ready() -> None:
            opening.begin()
            say(address)
            if browser:
                webbrowser.open(address)

        failed = opening.failure
        run(app, bound, limits=LIMITS, log=_silent_log(), ready=ready, done=failed)
    failure = opening.failure()
    if failure is not None:
        raise failure


def _studio(load: Callable[[], Source], output: Path) -> Studio:
    from ..compiling import load_without_extras

    load_without_extras()
    from .session import Session
    from .studio import Studio

    return Studio(Session(load(), output))


def _silent_log() -> logging.Logger:
    """Return what uvicorn writes to: tabs that are open at Ctrl-C are no news.

    Mistakes of our own go to the application's log.
    """
    log = server_log(sys.stderr)
    for handler in log.handlers:
        handler.setLevel(logging.CRITICAL)
    return log
