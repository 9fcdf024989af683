"""A bare Starlette endpoint that reads its body and returns a constant: what HTTP alone takes."""

from __future__ import annotations

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ANSWER = b'{"decisions":[{"action":"low","index":0}],"plan":"0123456789abcdef"}'


async def constant(request: Request) -> Response:
    """Return the same, whatever is asked."""
    await request.body()
    return Response(ANSWER, media_type="application/json")


if __name__ == "__main__":
    app = Starlette(routes=[Route("/v1/decide", constant, methods=["POST"])])
    uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False)
