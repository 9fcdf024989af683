"""Long work that the page starts, watches and may cancel."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from typing import Any, Literal

from ..errors import DeepAveragersError
from ..server.problems import Problem
from .events import Events

State = Literal["running", "done", "failed", "cancelled"]
MOST_RUNNING = 2
MOST_KEPT = 64
"""Of jobs that ended."""


class Cancelled(Exception):
    """The page no longer wants the result."""


class Job:
    """One piece of work in a thread of its own.

    Args:
        name: by which the page knows it.
        label: what is being done, in a word or two.
        events: gets its progress and its end.
    """

    def __init__(self, name: str, label: str, events: Events) -> None:
        self.name, self.label, self.state = name, label, "running"
        self.result: Any = None
        self.error: str | None = None
        self._events, self._cancelled = events, threading.Event()

    def check(self) -> None:
        """Raise `Cancelled` if it was."""
        if self._cancelled.is_set():
            raise Cancelled

    def reach(self, done: float, total: float) -> None:
        """Tell how much is done."""
        self.check()
        self._events.tell(
            {"type": "progress", "job": self.name, "label": self.label, "done": done,
             "total": total}
        )  # fmt: skip

    def cancel(self) -> None:
        """Drop it: the work ends at its next step, and its result is thrown away."""
        if self.state == "running":
            self._cancelled.set()
            self._end("cancelled")

    def run(self, work: Callable[[Job], Any]) -> None:
        """Do the work."""
        try:
            result = work(self)
            self.check()
        except Cancelled:
            return
        except DeepAveragersError as error:
            self.error = str(error)
            self._end("failed")
        except Exception:
            self.error = "The server made a mistake; its log says which."
            self._end("failed")
            raise
        else:
            self.result = result
            self._end("done")

    def told(self) -> dict[str, Any]:
        """Return what an event, or a late question, says of it."""
        told = {"type": "job", "job": self.name, "label": self.label, "state": self.state}
        if self.state == "done":
            told["result"] = self.result
        if self.error is not None:
            told["error"] = self.error
        return told

    def _end(self, state: State) -> None:
        self.state = state
        self._events.tell(self.told())


class Jobs:
    """The jobs of a session; the last ones that ended are remembered.

    Args:
        events: gets their progress and their ends.
        ended: called in a job's thread once its work is over, cancelled or not.
    """

    def __init__(self, events: Events, ended: Callable[[], object] = lambda: None) -> None:
        self._events, self._ended = events, ended
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._numbers = count(1)
        self._lock = threading.Lock()

    def start(self, label: str, work: Callable[[Job], Any]) -> Job:
        """Begin some work; too much at once is refused."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.state == "running"]
            if len(running) >= MOST_RUNNING:
                raise Problem(429, f"{len(running)} jobs are running; wait, or cancel one.")
            job = Job(f"job-{next(self._numbers)}", label, self._events)
            self._jobs[job.name] = job
            while len(self._jobs) > MOST_KEPT:
                self._jobs.popitem(last=False)
        threading.Thread(target=self._run, args=(job, work), name=job.name, daemon=True).start()
        return job

    def _run(self, job: Job, work: Callable[[Job], Any]) -> None:
        try:
            job.run(work)
        finally:
            self._ended()

    def known(self, name: str) -> Job:
        """Return a job by its name."""
        with self._lock:
            job = self._jobs.get(name)
        if job is None:
            raise Problem(404, f"There is no job {name!r}.")
        return job
