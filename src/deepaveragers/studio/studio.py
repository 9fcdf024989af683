"""One studio: a session, and what runs beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from starlette.responses import Response

from ..compiling import told_of_compiling
from ..errors import DeepAveragersError
from ..server.problems import Problem
from .colouring import Bytes, coloured
from .events import Events
from .exchange import json
from .freed_memory import FreedMemory
from .jobs import Jobs
from .messages import Legend
from .planning_watch import PlanningWatch
from .plans import Kept
from .questions import plan_id
from .replanning import Overtaken, Replanning, in_thread
from .session import Session

Result = TypeVar("Result")
FINDING = "finding:"
PREPARING = "preparing kernels, once per installation"
PAGE_SECONDS = 3.0
"""That the rest of the warm-up waits for a page to ask for its first colours."""
DRAWING_SECONDS = 0.5
"""That a page needs the processors to draw them."""


class Studio:
    """What the routes share.

    Args:
        session: the opened model.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.events, self.replanning = session, Events(), Replanning()
        self.freed = FreedMemory()
        self.jobs = Jobs(self.events, ended=self.freed.worked)
        self._shown = threading.Event()
        first = plan_id(session.first, session.digest)
        session.first_watch = PlanningWatch(
            lambda: None, lambda share: self.tell(first, "planning", share)
        )

    def known(self, name: str) -> Kept:
        """Return a plan by its id."""
        kept = self.session.known(name)
        if kept is None:
            raise Problem(404, f"There is no plan {name!r}; ask its question again.")
        return kept

    def coloured(self, by: str, kept: Kept, other: Kept | None) -> tuple[Legend, Bytes]:
        """Return the legend and the bytes of a colouring: of a plan, of two, or of a finding."""
        self._shown.set()
        self.freed.worked()
        if by.startswith(FINDING):
            from .data_page import by_finding

            return by_finding(self.session, by.removeprefix(FINDING))
        return coloured(by, kept.plan, None if other is None else other.plan)

    async def answer(self, work: Callable[[], Result]) -> Response:
        """Return as JSON what the work returns; it runs in a thread."""
        try:
            return json(await in_thread(work))
        finally:
            self.freed.worked()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Make in a thread what the page asks for first; tell when kernels are being compiled.

        What is freed goes back to the system meanwhile.
        """
        with (
            self.freed.running(),
            told_of_compiling(lambda begun: self.tell("kernels", PREPARING, float(not begun))),
        ):
            threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
            yield

    @contextmanager
    def slow(self, job: str, label: str) -> Iterator[None]:
        """Tell the page of work that takes more than a moment where the model is large."""
        if self.session.live:
            yield
            return
        self.tell(job, label, 0.0)
        try:
            yield
        finally:
            self.tell(job, label, 1.0)

    def tell(self, job: str, label: str, done: float, tab: str | None = None) -> None:
        """Tell a tab, or all, which share of some work is done."""
        told = {"type": "progress", "job": job, "label": label, "done": done, "total": 1.0}
        self.events.tell(told, tab)

    def _warm_up(self) -> None:
        session = self.session
        try:
            session.opening()
        except (DeepAveragersError, Overtaken):
            return  # whoever asks is told
        session.axes.axes()
        # What follows can wait; a page that is being drawn should not.
        if self._shown.wait(PAGE_SECONDS):
            time.sleep(DRAWING_SECONDS)
        from .data_page import diagnosis

        session.policy(session.first_plan().plan)
        found = diagnosis(session)
        self.events.tell({"type": "findings", "count": len(found.findings)})
        if session.live:
            session.prepare_support()
