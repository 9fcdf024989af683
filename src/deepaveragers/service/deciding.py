"""What the server does with observations, whatever the protocol: decide, count, keep."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ..arrays import Array
from ..policy.deciding import Decisions
from ..server.problems import Problem
from .audit import AuditLog
from .audit_lines import Entry
from .batching import TOGETHER, Batcher
from .current import Served
from .metrics import Metrics

Value = TypeVar("Value")
ALL = slice(None)


class Decider:
    """Decides upon observations.

    Args:
        metrics: of the server.
        audit: keeps decisions; None where none are kept.
        most_rows: of a batch.
        together: single requests that are decided at once, at most.
    """

    def __init__(
        self,
        metrics: Metrics,
        audit: AuditLog | None,
        most_rows: int,
        together: int = TOGETHER,
    ) -> None:
        self._metrics, self.audit, self.most_rows = metrics, audit, most_rows
        self._batcher = Batcher(together)
        # One thread, for a search takes all processors by itself.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="deciding")

    async def one(
        self, served: Served, row: Array, name: str | None
    ) -> tuple[Decisions, int, str | None]:
        """Return decisions, the place of this one among them, and its name."""
        if self.audit is not None:
            self.audit.check()
        decisions, place = await self._batcher.decide(served, row)
        given = None if name is None else [name]
        names = self._keep(served, row, decisions, slice(place, place + 1), given)
        return decisions, place, None if names is None else names[0]

    def many(
        self, served: Served, rows: Array, names: Sequence[str] | None
    ) -> tuple[Decisions, Sequence[str] | None]:
        """Return the decisions on a batch, and their names; to be called apart from the loop."""
        if len(rows) > self.most_rows:
            most = f"{self.most_rows:,}"
            raise Problem(422, f"A batch may have {most} observations; received {len(rows):,}.")
        if self.audit is not None:
            self.audit.check()
        decisions = served.acting.decide_batch(rows)
        return decisions, self._keep(served, rows, decisions, ALL, names)

    async def apart(self, work: Callable[..., Value], *given: Any) -> Value:
        """Do long work in a thread, so that others are answered meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *given)

    def close(self) -> None:
        """Write what is left of the log, and end."""
        self._worker.shutdown()
        if self.audit is not None:
            self.audit.close()

    def _keep(
        self,
        served: Served,
        rows: Array,
        decisions: Decisions,
        places: slice,
        names: Sequence[str] | None,
    ) -> Sequence[str] | None:
        self._metrics.decided(decisions, places)
        if self.audit is None:
            return names
        names = self.audit.new_ids(len(rows)) if names is None else names
        columns = served.acting.observation_names
        entry = Entry(time.time(), names, served.plan, columns, rows, decisions, places)
        self.audit.add(entry)
        return names
