"""Routes of plans: the model, questions, colourings, pins, comparisons."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..errors import InputError
from .exchange import Handler, body, disconnected, frame
from .messages import PinRequest, Planned, PlanRequest
from .planning_watch import PlanningWatch
from .questions import plan_id
from .replanning import Turn, in_thread
from .studio import Studio

LABEL_LENGTH = 120


class PlanRoutes:
    """Answers what is asked of plans."""

    def __init__(self, studio: Studio) -> None:
        self._studio, self._session = studio, studio.session

    def table(self) -> dict[tuple[str, str], Handler]:
        """Return the handlers by method and path."""
        return {
            ("GET", "/api/model"): self.model,
            ("GET", "/api/opening"): self.opening,
            ("POST", "/api/plans"): self.replan,
            ("GET", "/api/plans/{plan}"): self.plan,
            ("GET", "/api/plans/{plan}/colouring"): self.colouring,
            ("GET", "/api/pins"): self.pins,
            ("POST", "/api/pins"): self.pin,
            ("DELETE", "/api/pins/{plan}"): self.unpin,
            ("GET", "/api/compare"): self.compare,
        }

    async def model(self, request: Request) -> Response:
        """What the page shows first."""
        return await self._studio.answer(self._session.model)

    async def opening(self, request: Request) -> Response:
        """The first plan."""
        return await self._studio.answer(self._session.opening)

    async def replan(self, request: Request) -> Response:
        """The plan of a question, coloured."""
        asked = await body(request, PlanRequest)
        return await self._studio.replanning.run(
            asked.tab,
            asked.sequence,
            lambda turn: self._replanned(asked, turn),
            lambda: disconnected(request),
        )

    def _replanned(self, asked: PlanRequest, turn: Turn) -> Response:
        session = self._session
        against = None if asked.against is None else session.known(asked.against)
        name = plan_id(asked.question, session.digest)

        def tell(share: float) -> None:
            self._studio.tell(name, "planning", share, asked.tab)

        kept = session.plan(asked.question, PlanningWatch(turn.check, tell))
        turn.check()
        other = against if asked.other is None else session.known(asked.other)
        legend, colours = self._studio.coloured(asked.colouring, kept, other)
        return frame(Planned(session.summary(kept, against), legend), colours)

    async def plan(self, request: Request) -> Response:
        """The figures of a plan."""
        name, session = request.path_params["plan"], self._session
        return await self._studio.answer(lambda: session.summary(self._studio.known(name)))

    async def colouring(self, request: Request) -> Response:
        """The colours of a plan."""
        asked, name = request.query_params, request.path_params["plan"]

        def work() -> Response:
            other = self._studio.known(asked["other"]) if asked.get("other") else None
            kept = self._studio.known(name)
            return frame(*self._studio.coloured(asked.get("by", "value"), kept, other))

        return await in_thread(work)

    async def pins(self, request: Request) -> Response:
        """The pinned plans."""
        return await self._studio.answer(self._pinned)

    async def pin(self, request: Request) -> Response:
        """Pin a plan under a label."""
        asked = await body(request, PinRequest)
        label = " ".join(asked.label.split())
        if not 0 < len(label) <= LABEL_LENGTH:
            raise InputError("label", f"1 to {LABEL_LENGTH} characters", f"{len(label)}")

        def work() -> object:
            self._studio.known(asked.plan)
            self._session.plans.pin(asked.plan, label)
            return self._changed()

        return await self._studio.answer(work)

    async def unpin(self, request: Request) -> Response:
        """Let a pinned plan go."""
        self._session.plans.unpin(request.path_params["plan"])
        return await self._studio.answer(self._changed)

    def _changed(self) -> object:
        pinned = self._pinned()
        self._studio.events.tell({"type": "pins", "pins": msgspec.to_builtins(pinned)})
        return pinned

    def _pinned(self) -> object:
        session = self._session
        return [session.summary(self._studio.known(name)) for name in session.plans.pins()]

    async def compare(self, request: Request) -> Response:
        """Two plans side by side."""
        left, right = (request.query_params.get(side, "") for side in ("left", "right"))

        def work() -> object:
            from .comparing import compare

            plans = self._studio.known(left), self._studio.known(right)
            with self._studio.slow("compare", "comparing"):
                return self._session.compared(*plans, lambda: compare(self._session, *plans))

        return await self._studio.answer(work)
