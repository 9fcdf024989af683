"""All routes of a studio."""

from __future__ import annotations

from starlette.routing import Route

from .data_routes import DataRoutes
from .exchange import answered
from .map_routes import MapRoutes
from .page_files import page_route
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
    return [*routes, page_route()]
