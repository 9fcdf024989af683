"""The paths of version 1, health and metrics."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..arguments import whole_number
from ..server.problems import Problem
from . import metrics as exposition
from .answering import answer, answer_at
from .current import Current, Served
from .deciding import Decider
from .messages import (
    DecideRequest,
    ExplainAnswer,
    ExplainRequest,
    HealthAnswer,
    PolicyAnswer,
)
from .metrics import Metrics
from .openapi import description
from .reading import JSON, RAW, decoded, many_rows, one_row, raw_rows

SMALL_BODY = 8_192
"""Bytes that are decoded at once; larger bodies are, apart from the loop that serves others."""
MOST_CASES = 100
DECIDE_FORM = '{"observation": {...}} or {"observations": [...]}'
EXPLAIN_FORM = '{"observation": {...}, "cases": 4}'


class Routes:
    """Answers requests.

    Args:
        name: of the model.
        current: holds the policy that decides.
        decider: decides.
        metrics: of the server.
    """

    def __init__(self, name: str, current: Current, decider: Decider, metrics: Metrics) -> None:
        self._name, self._current = name, current
        self._decider, self._metrics = decider, metrics
        self._decide = msgspec.json.Decoder(DecideRequest)
        self._explain = msgspec.json.Decoder(ExplainRequest)
        self._encode = msgspec.json.Encoder().encode
        self.stopping = False

    def all(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v1/decide", self.decide, methods=["POST"]),
            Route("/v1/explain", self.explain, methods=["POST"]),
            Route("/v1/policy", self.policy, methods=["GET"]),
            Route("/health/live", self.live, methods=["GET"]),
            Route("/health/ready", self.ready, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
            Route("/openapi.json", self.openapi, methods=["GET"]),
        ]

    async def decide(self, request: Request) -> Response:
        """Decide upon one observation or several."""
        served = self._current.served
        kind = content_type(request, (JSON, RAW))
        body = await request.body()
        if kind == RAW:
            indexes = RAW in request.headers.get("accept", "")
            return await self._decider.apart(self._decide_raw, served, body, indexes)
        if len(body) > SMALL_BODY:
            return await self._decider.apart(self._decide_large, served, body)
        asked = decoded(self._decide, body, DECIDE_FORM)
        if asked.observation is UNSET or asked.observations is not UNSET or asked.ids is not UNSET:
            return await self._decider.apart(self._decide_many, served, asked)
        name = asked.id if isinstance(asked.id, str) else None
        row = one_row(served.acting, asked.observation)
        decisions, place, name = await self._decider.one(served, row, name)
        return self._json(answer_at(decisions, place, name, served.plan))

    def _decide_large(self, served: Served, body: bytes) -> Response:
        return self._decide_many(served, decoded(self._decide, body, DECIDE_FORM))

    def _decide_many(self, served: Served, asked: DecideRequest) -> Response:
        observations, given = _several(asked)
        rows = many_rows(served.acting, observations)
        if given is not None and len(given) != len(rows):
            raise Problem(422, f"ids must be {len(rows)}, one for each; received {len(given)}.")
        decisions, names = self._decider.many(served, rows, given)
        return self._json(answer(decisions, names, served.plan))

    def _decide_raw(self, served: Served, body: bytes, indexes: bool) -> Response:
        decisions, names = self._decider.many(served, raw_rows(served.acting, body), None)
        if not indexes:
            return self._json(answer(decisions, names, served.plan))
        actions = decisions.actions
        kind = "<i4" if actions.ndim == 1 else actions.dtype.newbyteorder("<").str
        shape = ",".join(map(str, actions.shape))
        headers = {"x-plan": served.plan, "x-dtype": kind, "x-shape": shape}
        return Response(actions.astype(kind).tobytes(), media_type=RAW, headers=headers)

    async def explain(self, request: Request) -> Response:
        """Explain the decision at one observation."""
        served = self._current.served
        content_type(request, (JSON,))
        asked = decoded(self._explain, await request.body(), EXPLAIN_FORM)
        return await self._decider.apart(self._explained, served, asked)

    def _explained(self, served: Served, asked: ExplainRequest) -> Response:
        if served.whole is None:
            raise Problem(
                409,
                "The policy was saved without its log, and cannot explain; save it with "
                "dac policy --with-evidence.",
            )
        cases = whole_number("cases", asked.cases, least=0)
        if cases > MOST_CASES:
            raise Problem(422, f"cases must be at most {MOST_CASES}; received {cases}.")
        found = served.whole.explain(one_row(served.acting, asked.observation), cases)
        return self._json(ExplainAnswer(found.summary(), str(found), served.plan))

    async def policy(self, request: Request) -> Response:
        """Say which policy decides."""
        return self._json(policy_answer(self._name, self._current.served))

    async def live(self, request: Request) -> Response:
        """Say that the server runs."""
        return self._json(HealthAnswer("live"))

    async def ready(self, request: Request) -> Response:
        """Say whether decisions are made."""
        self.check_ready()
        return self._json(HealthAnswer("ready"))

    def check_ready(self) -> None:
        """Raise a problem unless decisions are made."""
        if self.stopping:
            raise Problem(503, "The server is stopping.")
        if self._decider.audit is not None:
            self._decider.audit.check()

    async def metrics(self, request: Request) -> Response:
        """Return the counts."""
        return Response(self._metrics.text(), headers={"content-type": exposition.CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        """Describe all paths, for the policy that decides."""
        return self._json(description(self._name, self._current.served, self._decider.most_rows))

    def _json(self, answer: Any) -> Response:
        return Response(self._encode(answer), media_type=JSON)


def _several(asked: DecideRequest) -> tuple[list[Any], list[str] | None]:
    """Return the observations, and their names if they have some."""
    if (asked.observation is UNSET) == (asked.observations is UNSET):
        raise Problem(422, "Give observation or observations, one of the two.")
    if isinstance(asked.observations, list):
        if asked.id is not UNSET:
            raise Problem(422, "observations have ids; id is of one observation.")
        return asked.observations, asked.ids if isinstance(asked.ids, list) else None
    if asked.ids is not UNSET:
        raise Problem(422, "One observation has an id; ids are of observations.")
    return [asked.observation], [asked.id] if isinstance(asked.id, str) else None


def content_type(request: Request, allowed: tuple[str, ...]) -> str:
    """Return the type of a body; JSON where none is said."""
    given = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if given not in allowed:
        raise Problem(415, f"The content type must be {' or '.join(allowed)}.")
    return given


def policy_answer(name: str, served: Served) -> PolicyAnswer:
    """Return what is to be known of a policy."""
    known = served.acting.summary()
    return PolicyAnswer(
        name=name,
        plan=served.plan,
        digests={part: known[part] for part in ("plan", "model", "data")},
        actions=known["actions"],
        action_kind=known["action_kind"],
        observations=known["observations"],
        observation_shape=known["observation_shape"],
        objective=known["objective"],
        support_threshold=known["support_threshold"],
        fallback=known["fallback"],
        evidence=served.whole is not None,
        agreement=known["agreement"],
        loaded=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(served.loaded)),
    )
