"""Requests in and answers out: records as JSON, numbers in frames, errors in one sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..arrays import Array
from ..errors import DeepAveragersError
from .framing import framed
from .replanning import Overtaken

Kind = TypeVar("Kind")
Handler = Callable[[Request], Awaitable[Response]]
MOST_BYTES = 4 << 20
"""Of a request's body: a lasso around every one of some 100,000 states fits."""


class Unknown(DeepAveragersError):
    """Something is asked for that is not there."""


def json(record: Any, status: int = 200) -> Response:
    """Return a record as JSON."""
    return Response(msgspec.json.encode(record), status, media_type="application/json")


def frame(head: Any, payload: Array) -> Response:
    """Return numbers with a head."""
    return Response(framed(head, payload), media_type="application/octet-stream")


async def body(request: Request, kind: type[Kind]) -> Kind:
    """Return the body of a request as a record; one that is too long is not read."""
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > MOST_BYTES:
            raise TooLong
    return msgspec.json.decode(bytes(read), type=kind)


class TooLong(Exception):
    """A request's body is longer than any that the page sends."""


def answered(handler: Handler) -> Handler:
    """Have a handler's errors said in one sentence, with a status that suits them."""

    async def answering(request: Request) -> Response:
        try:
            return await handler(request)
        except Overtaken:
            return json({"overtaken": True}, 409)
        except TooLong:
            return json({"error": f"A request may have {MOST_BYTES:,} bytes at most."}, 413)
        except Unknown as error:
            return json({"error": str(error)}, 404)
        except msgspec.MsgspecError as error:
            return json({"error": f"The request cannot be read: {error}."}, 400)
        except DeepAveragersError as error:
            return json({"error": str(error)}, 400)

    return answering
