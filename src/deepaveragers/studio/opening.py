"""A studio while its model is on the way: the page is there at once, its questions wait.

Loading, imports included, takes about a second, in which a browser fetches the page and starts to
draw. This module and `serving` therefore import nothing that loads kernels.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from ..errors import DeepAveragersError
from ..server.problems import Problem

if TYPE_CHECKING:
    from .studio import Studio


class Opening:
    """Answers under /api by a studio that is made in a thread.

    Args:
        make: loads the model and returns its studio.
    """

    def __init__(self, make: Callable[[], Studio]) -> None:
        self._make = make
        self._studio: Future[tuple[Studio, Router]] = Future()
        self._studio.set_running_or_notify_cancel()  # a request that gives up cancels nothing
        self._running = ExitStack()

    def begin(self) -> None:
        """Begin to load."""
        threading.Thread(target=self._load, name="opening", daemon=True).start()

    def failure(self) -> BaseException | None:
        """Return why there is no studio; None while it is on the way and once it is there."""
        return self._studio.exception() if self._studio.done() else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, once the model is there."""
        try:
            _, router = await asyncio.wrap_future(self._studio)
        except DeepAveragersError as error:
            raise Problem(503, str(error)) from error
        await router(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """End the plans that are being made when the server stops: it waits for their threads."""
        yield
        if self._studio.done() and self._studio.exception() is None:
            self._studio.result()[0].session.close()
        self._running.close()

    def _load(self) -> None:
        gc.disable()  # imports leave no garbage, and looking for it took a tenth of their time
        try:
            studio = self._make()
            # The first plan is what the page waits for: the routes are loaded beside it.
            self._running.enter_context(studio.running())
            from .app import routes_of

            router = Router(routes_of(studio), redirect_slashes=False)
            gc.freeze()  # what is loaded by now stays
        except BaseException as error:
            self._studio.set_exception(error)
        else:
            self._studio.set_result((studio, router))
        finally:
            gc.enable()
