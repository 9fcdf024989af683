"""The routes: each reads a request, asks the session, and writes the answer."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ..server.problems import Problem
from .colouring import coloured
from .events import Events
from .exchange import Handler, answered, body, frame, json
from .imagining import imagine
from .inspecting import inspect
from .inspection_messages import ImagineRequest, InspectRequest
from .messages import Planned, PlanRequest
from .page_files import page_files
from .plans import Kept
from .replanning import Replanning, Turn, in_thread
from .session import Session


class Studio:
    """Answers the page's requests about one session."""

    def __init__(self, session: Session) -> None:
        self.session, self.events, self.replanning = session, Events(), Replanning()
        self._files = page_files()

    def routes(self) -> list[Route]:
        """Return the paths and what answers them."""
        gets: dict[str, Handler] = {
            "/api/model": self.model,
            "/api/axes": self.axes,
            "/api/axes/{axis}": self.axis,
            "/api/plans/{plan}": self.plan,
            "/api/plans/{plan}/colouring": self.colouring,
            "/api/events": self.listen,
            "/{path:path}": self.page,
        }
        posts: dict[str, Handler] = {
            "/api/plans": self.replan,
            "/api/inspect": self.inspect,
            "/api/imagine": self.imagine,
        }
        return [
            Route(path, answered(handler), methods=[method])
            for method, table in (("POST", posts), ("GET", gets))
            for path, handler in table.items()
        ]

    async def model(self, request: Request) -> Response:
        """What the page shows first."""
        return json(await in_thread(self.session.model))

    async def axes(self, request: Request) -> Response:
        """All axes of the map."""
        session = self.session
        return json(await in_thread(session.once, "axes", session.axes.axes))

    async def axis(self, request: Request) -> Response:
        """The places of all core states on one axis."""
        axes = self.session.axes
        values = await in_thread(axes.values, request.path_params["axis"])
        low, high = axes.range(values)
        return frame({"low": low, "high": high}, values)

    async def replan(self, request: Request) -> Response:
        """The plan of a question, coloured."""
        asked = await body(request, PlanRequest)
        return await self.replanning.run(
            asked.tab, asked.sequence, lambda turn: self._replanned(asked, turn)
        )

    def _replanned(self, asked: PlanRequest, turn: Turn) -> Response:
        session = self.session
        against = None if asked.against is None else session.known(asked.against)
        kept = session.plan(
            asked.question,
            start=None if against is None else against.plan,
            callback=lambda seen: turn.check(),
        )
        turn.check()
        other = against if asked.other is None else session.known(asked.other)
        legend, colours = coloured(
            asked.colouring, kept.plan, None if other is None else other.plan
        )
        return frame(Planned(session.summary(kept, against), legend), colours)

    async def plan(self, request: Request) -> Response:
        """The figures of a plan."""
        kept = await in_thread(self._known, request.path_params["plan"])
        return json(self.session.summary(kept))

    async def colouring(self, request: Request) -> Response:
        """The colours of a plan."""
        asked = request.query_params

        def work() -> Response:
            kept = self._known(request.path_params["plan"])
            other = self._known(asked["other"]).plan if asked.get("other") else None
            return frame(*coloured(asked.get("by", "value"), kept.plan, other))

        return await in_thread(work)

    async def inspect(self, request: Request) -> Response:
        """A state, and what the plan does there."""
        asked = await body(request, InspectRequest)

        def work() -> Response:
            return json(inspect(self.session, self._known(asked.plan).plan, asked))

        return await in_thread(work)

    async def imagine(self, request: Request) -> Response:
        """The most likely future from a state."""
        asked = await body(request, ImagineRequest)

        def work() -> Response:
            return json(imagine(self.session, self._known(asked.plan).plan, asked))

        return await in_thread(work)

    async def listen(self, request: Request) -> Response:
        """Events, for as long as the tab is open."""
        stream = self.events.listen(request.query_params.get("tab", ""))
        return StreamingResponse(
            stream, media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        file = self._files.get(request.url.path)
        if file is None:
            raise Problem(404, f"There is nothing at {request.url.path!r}.")
        return Response(
            file.content, media_type=file.media_type, headers={"cache-control": file.cache_control}
        )

    def _known(self, name: str) -> Kept:
        kept = self.session.known(name)
        if kept is None:
            raise Problem(404, f"There is no plan {name!r}; ask its question again.")
        return kept
