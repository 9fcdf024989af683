"""Routes of states: inspecting, groups, futures, pictures.

What the page does not show first is imported when it is asked for: the map stands sooner.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from .exchange import Handler, body
from .inspection_messages import GroupRequest, ImagineRequest, InspectRequest
from .replanning import in_thread
from .studio import Studio


class StateRoutes:
    """Answers what is asked of states."""

    def __init__(self, studio: Studio) -> None:
        self._studio, self._session = studio, studio.session

    def table(self) -> dict[tuple[str, str], Handler]:
        """Return the handlers by method and path."""
        return {
            ("POST", "/api/inspect"): self.inspect,
            ("POST", "/api/inspect/group"): self.group,
            ("POST", "/api/imagine"): self.imagine,
            ("GET", "/api/states/{state:int}/picture.png"): self.picture,
        }

    async def inspect(self, request: Request) -> Response:
        """A state, and what the plan does there."""
        from .inspecting import inspect

        asked = await body(request, InspectRequest)
        return await self._studio.answer(
            lambda: inspect(self._session, self._studio.known(asked.plan).plan, asked)
        )

    async def group(self, request: Request) -> Response:
        """Some states together."""
        from .grouping import group

        asked = await body(request, GroupRequest)
        return await self._studio.answer(
            lambda: group(self._session, self._studio.known(asked.plan).plan, asked)
        )

    async def imagine(self, request: Request) -> Response:
        """The most likely future from a state."""
        from .imagining import imagine

        asked = await body(request, ImagineRequest)
        return await self._studio.answer(
            lambda: imagine(self._session, self._studio.known(asked.plan).plan, asked)
        )

    async def picture(self, request: Request) -> Response:
        """A state as a picture."""
        from .state_picture import state_picture

        state, before = request.path_params["state"], "transition" in request.query_params
        content = await in_thread(lambda: state_picture(self._session, state, before=before))
        return Response(
            content, media_type="image/png", headers={"cache-control": "private, max-age=3600"}
        )
