"""Errors as an HTTP client sees them: a status and one JSON sentence, never a stack trace."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import InputError

POLICY_VIOLATION = 1008
"""Code with which a WebSocket is closed that may not be opened."""


class Problem(Exception):
    """A request that cannot be answered.

    Args:
        status: the HTTP status.
        sentence: what is wrong and what to do, for the client.
        headers: to send beside it.
    """

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, dict(headers or {})


class ErrorBody(msgspec.Struct):
    """The body of every answer that is an error.

    Attributes:
        error: what is wrong and what to do, in one sentence.
    """

    error: str


def problem_response(problem: Problem) -> Response:
    """Return the answer that a problem gets."""
    body = msgspec.json.encode(ErrorBody(" ".join(problem.sentence.split())))
    return Response(body, problem.status, problem.headers, media_type="application/json")


def as_problem(error: BaseException) -> Problem | None:
    """Return what a client may know of an error; None where it is our own mistake."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, InputError):
        return Problem(422, str(error))
    return None


async def http_exception(request: Request, error: Exception) -> Response:
    """Answer what Starlette itself refuses: an unknown path, a wrong method."""
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    sentence = f"{phrase}: see /openapi.json for the paths and methods."
    return problem_response(Problem(error.status_code, sentence, error.headers))


class Problems:
    """ASGI middleware: the outermost one, which turns every error into an answer.

    Args:
        app: what it wraps.
        log: gets our own mistakes with their stack trace; the client gets one sentence.
    """

    def __init__(self, app: ASGIApp, log: logging.Logger) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            return  # nobody waits for an answer
        except Exception as error:
            problem = as_problem(error)
            if problem is None:
                self._log.exception("mistake", extra={"path": scope["path"]})
                problem = Problem(500, "The server made a mistake; its log says which.")
            if begun:
                raise  # too late for another answer: the connection is closed
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            else:
                await problem_response(problem)(scope, receive, send)
