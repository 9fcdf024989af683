"""Requests in and answers out: records as JSON, numbers in frames, errors in one sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..arrays import Array
from ..errors import DeepAveragersError, InputError
from ..server.problems import Problem
from .framing import framed
from .replanning import Overtaken

Kind = TypeVar("Kind")
Handler = Callable[[Request], Awaitable[Response]]
OVERTAKEN = 204
"""Status of an answer that nobody waits for; to a browser's console, 409 would be an error."""


def json(record: Any, status: int = 200) -> Response:
    """Return a record as JSON."""
    return Response(msgspec.json.encode(record), status, media_type="application/json")


def frame(head: Any, payload: Array) -> Response:
    """Return numbers with a head."""
    return Response(framed(head, payload), media_type="application/octet-stream")


async def body(request: Request, kind: type[Kind]) -> Kind:
    """Return the body of a request as a record."""
    return msgspec.json.decode(await request.body(), type=kind)


async def disconnected(request: Request) -> None:
    """Wait until the client no longer listens; the body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def answered(handler: Handler) -> Handler:
    """Have what a handler raises answered with a status that suits it."""

    async def answering(request: Request) -> Response:
        try:
            return await handler(request)
        except Overtaken:
            return Response(status_code=OVERTAKEN)
        except msgspec.MsgspecError as error:
            raise Problem(400, f"The request cannot be read: {error}.") from error
        except (InputError, Problem):
            raise
        except DeepAveragersError as error:
            raise Problem(409, str(error)) from error

    return answering
