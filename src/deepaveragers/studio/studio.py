"""One studio: a session, and what runs beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from starlette.responses import Response

from ..errors import DeepAveragersError
from ..kernels.compiling import told_of_compiling
from ..server.problems import Problem
from .data_page import diagnosis
from .events import Events
from .exchange import json
from .jobs import Jobs
from .plans import Kept
from .replanning import Replanning, in_thread
from .session import Session

Result = TypeVar("Result")
PREPARING = "preparing kernels, once per installation"


class Studio:
    """What the routes share.

    Args:
        session: the opened model.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.events, self.replanning = session, Events(), Replanning()
        self.jobs = Jobs(self.events)

    def known(self, name: str) -> Kept:
        """Return a plan by its id."""
        kept = self.session.known(name)
        if kept is None:
            raise Problem(404, f"There is no plan {name!r}; ask its question again.")
        return kept

    async def answer(self, work: Callable[[], Result]) -> Response:
        """Return as JSON what the work returns; it runs in a thread."""
        return json(await in_thread(work))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Make in a thread what the page asks for first; tell when kernels are being compiled."""

        with told_of_compiling(lambda begun: self._tell("kernels", PREPARING, done=not begun)):
            threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
            yield

    @contextmanager
    def slow(self, job: str, label: str) -> Iterator[None]:
        """Tell the page of work that takes more than a moment where the model is large."""
        if self.session.live:
            yield
            return
        self._tell(job, label, done=False)
        try:
            yield
        finally:
            self._tell(job, label, done=True)

    def _tell(self, job: str, label: str, *, done: bool) -> None:
        told = {"type": "progress", "job": job, "label": label, "done": float(done), "total": 1.0}
        self.events.tell(told)

    def _warm_up(self) -> None:
        session = self.session
        try:
            session.model()
        except DeepAveragersError:
            return  # whoever asks is told
        session.once("axes", session.axes.axes)
        session.policy(session.first_plan().plan)
        found = diagnosis(session)
        self.events.tell({"type": "findings", "count": len(found.findings)})
        if session.live:
            session.prepare_support()
