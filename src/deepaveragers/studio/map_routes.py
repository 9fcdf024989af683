"""Routes of the map: axes, the picture that the server draws, the state under a click."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from ..arrays import Float32
from ..errors import InputError
from .exchange import Handler, frame, json
from .map_picture import View, map_picture, nearest_state
from .replanning import in_thread
from .studio import Studio


class MapRoutes:
    """Answers what is asked of the map."""

    def __init__(self, studio: Studio) -> None:
        self._studio, self._session = studio, studio.session

    def table(self) -> dict[tuple[str, str], Handler]:
        """Return the handlers by method and path."""
        return {
            ("GET", "/api/axes"): self.axes,
            ("GET", "/api/axes/{axis}"): self.axis,
            ("GET", "/api/map.png"): self.picture,
            ("GET", "/api/map/nearest"): self.nearest,
        }

    async def axes(self, request: Request) -> Response:
        """All axes of the map."""
        return await self._studio.answer(self._session.axes.axes)

    async def axis(self, request: Request) -> Response:
        """The places of all core states on one axis."""
        axes, name = self._session.axes, request.path_params["axis"]

        def work() -> Response:
            values = axes.values(name)
            low, high = axes.range(values)
            return frame({"low": low, "high": high}, values)

        return await in_thread(work)

    async def picture(self, request: Request) -> Response:
        """The map as a picture."""
        asked = request.query_params

        def work() -> bytes:
            x, y = self._places(asked)
            by, other = asked.get("by", "value"), asked.get("other")
            kept = self._studio.known(asked.get("plan", ""))
            beside = self._studio.known(other) if other else None
            legend, colours = self._studio.coloured(by, kept, beside)
            seen = ~np.isin(colours, _codes(asked.get("hidden", "")))
            return map_picture(x[seen], y[seen], colours[seen], legend, self._view(asked, x, y))

        return Response(
            await in_thread(work), media_type="image/png", headers={"cache-control": "no-store"}
        )

    async def nearest(self, request: Request) -> Response:
        """The state that is drawn nearest to a point."""
        asked = request.query_params

        def work() -> Response:
            x, y = self._places(asked)
            at = _number(asked, "px", 0.0), _number(asked, "py", 0.0)
            return json({"state": nearest_state(x, y, at, self._view(asked, x, y))})

        return await in_thread(work)

    def _places(self, asked: Mapping[str, str]) -> tuple[Float32, Float32]:
        axes = self._session.axes
        return axes.values(asked.get("x", "")), axes.values(asked.get("y", ""))

    def _view(self, asked: Mapping[str, str], x: Float32, y: Float32) -> View:
        axes = self._session.axes
        left, right = axes.range(x)
        bottom, top = axes.range(y)
        return View(
            left=_number(asked, "left", left),
            right=_number(asked, "right", right),
            bottom=_number(asked, "bottom", bottom),
            top=_number(asked, "top", top),
            width=int(_number(asked, "width", View.width)),
            height=int(_number(asked, "height", View.height)),
            theme=asked.get("theme", "light"),  # type: ignore[arg-type]
        )


def _codes(text: str) -> list[int]:
    """Return colours by their bytes, as the page lists them: "1,255"."""
    found = text.split(",") if text else []
    if not all(code.isascii() and code.isdigit() and len(code) <= 3 for code in found):
        raise InputError("hidden", "numbers of colours with commas between them", repr(text))
    return [int(code) for code in found]


def _number(asked: Mapping[str, str], name: str, usual: float) -> float:
    try:
        return float(asked.get(name, usual))
    except ValueError:
        raise InputError(name, "a number", repr(asked[name])) from None
