"""Who may ask: only this machine's own page, with the token that the command printed."""

from __future__ import annotations

import hmac
from http.cookies import SimpleCookie

import msgspec
from starlette.datastructures import Headers, QueryParams
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Refuses requests with another Host, from another origin, or without the token."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token, self._port = app, token, port
        self._hosts = {f"{name}:{port}" for name in LOOPBACK}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return refused(421, "The Host of this request is not this server.")
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return refused(403, "Requests from another origin are refused.")
        if scope["path"].startswith("/api") and headers.get("sec-fetch-site") in (
            "cross-site",
            "same-site",
        ):
            return refused(403, "Requests from another origin are refused.")
        given = QueryParams(scope["query_string"]).get("token")
        if scope["path"] == "/" and given is not None and self._right(given):
            return self._welcome()
        if self._right(self._shown(headers)):
            return None
        return refused(401, "Open the address that `dac studio` printed: it has the token.")

    def _welcome(self) -> Response:
        """Keep the token in a cookie, and take it out of the address."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            f"dac_studio_{self._port}", self._token, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _shown(self, headers: Headers) -> str:
        bearer = headers.get("authorization", "")
        if bearer.startswith("Bearer "):
            return bearer.removeprefix("Bearer ").strip()
        cookie = SimpleCookie(headers.get("cookie", "")).get(f"dac_studio_{self._port}")
        return "" if cookie is None else cookie.value

    def _right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())


def refused(status: int, sentence: str) -> Response:
    """Return an error of one sentence."""
    content = msgspec.json.encode({"error": sentence})
    return Response(content, status, media_type="application/json")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        await send(message)

    return sending
