"""Routes of states: inspecting, groups, futures, pictures.

What the page does not show first is imported when it is asked for: the map stands sooner. That is
done in the threads of answers, so that others do not wait.
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
        asked = await body(request, InspectRequest)

        def work() -> object:
            from .inspecting import inspect

            return inspect(self._session, self._studio.known(asked.plan).plan, asked)

        return await self._studio.answer(work)

    async def group(self, request: Request) -> Response:
        """Some states together."""
        asked = await body(request, GroupRequest)

        def work() -> object:
            from .grouping import group

            return group(self._session, self._studio.known(asked.plan).plan, asked)

        return await self._studio.answer(work)

    async def imagine(self, request: Request) -> Response:
        """The most likely future from a state."""
        asked = await body(request, ImagineRequest)

        def work() -> object:
            from .imagining import imagine

            return imagine(self._session, self._studio.known(asked.plan).plan, asked)

        return await self._studio.answer(work)

    async def picture(self, request: Request) -> Response:
        """A state as a picture."""
        state, before = request.path_params["state"], "transition" in request.query_params

        def work() -> bytes:
            from .state_picture import state_picture

            return state_picture(self._session, state, before=before)

        return Response(
            await in_thread(work),
            media_type="image/png",
            headers={"cache-control": "private, max-age=3600"},
        )
