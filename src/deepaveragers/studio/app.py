"""All routes of a studio, and the files of its page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..server.problems import Problem
from .data_routes import DataRoutes
from .exchange import Handler, answered
from .map_routes import MapRoutes
from .page_files import PageFile, page_files
from .plan_routes import PlanRoutes
from .state_routes import StateRoutes
from .studio import Studio


def routes_of(studio: Studio) -> list[Route]:
    """Return the paths and what answers them; what no other path takes is a file of the page."""
    tables = (PlanRoutes(studio), MapRoutes(studio), StateRoutes(studio), DataRoutes(studio))
    routes = [
        Route(path, answered(handler), methods=[method])
        for routes in tables
        for (method, path), handler in routes.table().items()
    ]
    return [*routes, Route("/{path:path}", _page(page_files()), methods=["GET"])]


def _page(files: dict[str, PageFile]) -> Handler:
    """Return what answers with the files of the page."""

    async def answer(request: Request) -> Response:
        file = files.get(request.url.path)
        if file is None:
            raise Problem(404, f"There is nothing at {request.url.path!r}.")
        return Response(
            file.content, media_type=file.media_type, headers={"cache-control": file.cache_control}
        )

    return answer
