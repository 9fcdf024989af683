"""Routes of the data page, of trust, of jobs, of exports and of events.

What the page does not show first is imported when it is asked for: the map stands sooner. That is
done in the threads of answers, so that others do not wait.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .exchange import Handler, body, json
from .exporting import export
from .jobs import Job
from .messages import ExportRequest, PlanNamed
from .plans import Kept
from .replanning import in_thread
from .studio import Studio

REPORT_NAME = "report.html"
ESTIMATES_KEPT = 64


class DataRoutes:
    """Answers what is asked of the data, and of how far plans can be trusted."""

    def __init__(self, studio: Studio) -> None:
        self._studio, self._session = studio, studio.session
        self._estimates: dict[str, dict[str, Any]] = {}

    def table(self) -> dict[tuple[str, str], Handler]:
        """Return the handlers by method and path."""
        return {
            ("GET", "/api/data"): self.data,
            ("GET", "/api/trust"): self.trust,
            ("POST", "/api/trust/estimate"): self.estimate,
            ("GET", "/api/jobs/{job}"): self.job,
            ("DELETE", "/api/jobs/{job}"): self.cancel,
            ("POST", "/api/export"): self.export,
            ("GET", "/api/report"): self.report,
            ("GET", "/api/events"): self.listen,
        }

    async def data(self, request: Request) -> Response:
        """The data as the doctor sees them."""

        def work() -> object:
            from .data_page import data_page

            return data_page(self._session, self._asked(request).plan)

        return await self._studio.answer(work)

    async def trust(self, request: Request) -> Response:
        """What is proved, estimated and assumed of a plan."""

        def work() -> object:
            from .trusting import trust

            kept = self._asked(request)
            with self._studio.slow("trust", "bounding what the policy earns"):
                return trust(self._session, kept, self._estimates.get(kept.summary.id))

        return await self._studio.answer(work)

    async def estimate(self, request: Request) -> Response:
        """Have a plan judged on held-out episodes, in a job."""
        asked = await body(request, PlanNamed)
        kept = await in_thread(self._studio.known, asked.plan)

        def work(job: Job) -> dict[str, Any]:
            from .estimating import estimated

            job.reach(0, 1)
            found = {"plan": asked.plan, **estimated(self._session, kept.plan, job.reach)}
            while len(self._estimates) >= ESTIMATES_KEPT:
                self._estimates.pop(next(iter(self._estimates)))
            self._estimates[asked.plan] = found
            return found

        job = self._studio.jobs.start("judging on held-out episodes", work)
        return json({"job": job.name}, 202)

    async def job(self, request: Request) -> Response:
        """What became of a job."""
        return json(self._studio.jobs.known(request.path_params["job"]).told())

    async def cancel(self, request: Request) -> Response:
        """Cancel a job."""
        job = self._studio.jobs.known(request.path_params["job"])
        job.cancel()
        return json(job.told())

    async def export(self, request: Request) -> Response:
        """Write a plan, a policy or a report into the folder given at the start."""
        asked = await body(request, ExportRequest)

        def work() -> object:
            plan = self._studio.known(asked.plan).plan
            self._session.prepare_drawing()
            return {"name": export(self._session, plan, asked.what, asked.name)}

        return await self._studio.answer(work)

    async def report(self, request: Request) -> Response:
        """The report of a plan, to keep."""

        def work() -> str:
            from ..reporting.report import report

            self._session.prepare_drawing()
            return report(self._asked(request).plan).html()

        content = await in_thread(work)
        headers = {"content-disposition": f'attachment; filename="{REPORT_NAME}"'}
        return Response(content, media_type="text/html; charset=utf-8", headers=headers)

    async def listen(self, request: Request) -> Response:
        """Events, for as long as the tab is open."""
        stream = self._studio.events.listen(request.query_params.get("tab", ""))
        return StreamingResponse(
            stream, media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    def _asked(self, request: Request) -> Kept:
        name = request.query_params.get("plan")
        return self._studio.known(name) if name else self._session.first_plan()
