"""A Starlette application behind the guard, the limits and the errors in words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from .guard import Door, Guard
from .limits import Limited, Limits
from .problems import Problems, http_exception


def application(
    routes: Sequence[BaseRoute],
    *,
    door: Door,
    limits: Limits,
    log: logging.Logger,
    lifespan: Callable[[Starlette], Any] | None = None,
    untimed: frozenset[str] = frozenset(),
) -> Starlette:
    """Return an application that answers the routes.

    Args:
        routes: paths and what answers them.
        door: who may come in.
        limits: what a request may take.
        log: gets our own mistakes.
        lifespan: what is opened before the first request and closed after the last.
        untimed: paths that may take as long as they like, such as streams of events.
    """
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Problems, log=log),
            Middleware(Guard, door=door),
            Middleware(Limited, limits=limits, untimed=untimed),
        ],
        exception_handlers={HTTPException: http_exception},
        lifespan=lifespan,
    )
    # An address with a slash too many is unknown: clients lose the body where they are sent on.
    app.router.redirect_slashes = False
    return app
