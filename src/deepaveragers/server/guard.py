"""Who may come in: a token compared in constant time, the Host and the Origin of a request.

A server on a loopback address needs no token, since only this machine reaches it; any other
needs one. The token comes as `Authorization: Bearer TOKEN`. Where a browser is the client
(`cookie` is set), it comes in the first address, `?token=TOKEN`, is kept in a cookie that scripts
cannot read, and is taken out of the address by a redirect.

Web pages of others run on this machine too, in the user's browser. They can send requests to a
loopback address, but not forge Host or Origin: a Host that is none of ours (DNS rebinding) and an
Origin other than the Host are refused.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import InputError, StorageError
from .problems import Problem

SHORTEST_TOKEN, LONGEST_TOKEN = 16, 512
"""Characters of a token."""
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
TOKEN_QUERY = "token"
LIVENESS = "/health/live"
"""The one path that is answered without a token."""


@dataclass(frozen=True)
class Door:
    """What a request must bring.

    Attributes:
        token: needed for every path that is not open; None where no token is needed.
        hosts: names that the Host header may have, without port; None allows any.
        cookie: name of the cookie that may hold the token; None where only the header may.
        open_paths: answered without a token.
    """

    token: str | None
    hosts: frozenset[str] | None
    cookie: str | None = None
    open_paths: frozenset[str] = frozenset({LIVENESS})


def door_for(
    host: str, token: str | None, *, cookie: str | None = None, hosts: Iterable[str] = ()
) -> Door:
    """Return the door of a server on a host; one that others reach needs a token.

    Args:
        host: the address that the server listens at.
        token: of the clients.
        cookie: name of the cookie that may hold the token, for browsers.
        hosts: further names under which a loopback server is reached, as by a proxy.
    """
    if not is_loopback(host):
        if token is None:
            raise InputError(
                "host",
                "a loopback address where no token is given",
                repr(host),
                "Give a token (--token-file), since others can reach this address.",
            )
        return Door(token, None, cookie)
    return Door(token, LOOPBACK_NAMES | {_bracketed(host)} | frozenset(hosts), cookie)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def read_token(path: Path) -> str:
    """Return the token in a file: its only line, without spaces."""
    try:
        token = path.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        token = ""
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
    printable = all("!" <= letter <= "~" for letter in token)
    if not (printable and SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN):
        raise InputError(
            "token-file",
            f"a file with {SHORTEST_TOKEN} to {LONGEST_TOKEN} ASCII characters in one line",
            str(path),
            "Make one with: openssl rand -hex 32",
        )
    return token


class Guard:
    """ASGI middleware: lets in what the door allows.

    Args:
        app: what it wraps.
        door: what a request must bring.
    """

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door
        self._digest = None if door.token is None else _digest(door.token.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] in ("http", "websocket"):
            headers = _headers(scope)
            self._check_host(headers)
            self._check_origin(headers)
            if self._digest is not None and scope["path"] not in self._door.open_paths:
                entering = self._check_token(scope, headers)
                if entering is not None:
                    await entering(scope, receive, send)
                    return
        await self._app(scope, receive, send)

    def _check_host(self, headers: dict[bytes, list[bytes]]) -> None:
        given = headers.get(b"host", [])
        name = _without_port(given[0].decode("latin-1").lower()) if len(given) == 1 else ""
        if not name:
            raise Problem(400, "A request must have one Host header.")
        if self._door.hosts is not None and name not in self._door.hosts:
            allowed = ", ".join(sorted(self._door.hosts))
            raise Problem(403, f"The Host header must be one of {allowed}.")

    def _check_origin(self, headers: dict[bytes, list[bytes]]) -> None:
        """Refuse a page of another origin; a bearer token cannot be sent without being known."""
        origins = headers.get(b"origin")
        if not origins or (self._digest is not None and b"authorization" in headers):
            return
        host = headers[b"host"][0].lower()
        if len(origins) > 1 or origins[0].lower() not in (b"http://" + host, b"https://" + host):
            raise Problem(403, "Requests of pages from another origin are refused.")

    def _check_token(self, scope: Scope, headers: dict[bytes, list[bytes]]) -> Response | None:
        """Refuse a request without the token; return the redirect of one that has it in its query.

        A browser that brings the token in its address gets the cookie, and another address.
        """
        if any(self._is_token(given) for given in _bearers(headers)):
            return None
        cookie = self._door.cookie
        if cookie is not None:
            if any(self._is_token(given) for given in _cookies(headers, cookie)):
                return None
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            given = [value for name, value in query if name == TOKEN_QUERY]
            reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
            if reading and len(given) == 1 and self._is_token(given[0].encode()):
                return _entering(scope["path"], query, cookie, given[0])
        raise Problem(
            401,
            "A token is needed: send it as 'Authorization: Bearer TOKEN'.",
            {"www-authenticate": "Bearer"},
        )

    def _is_token(self, given: bytes) -> bool:
        return self._digest is not None and hmac.compare_digest(_digest(given), self._digest)


def _entering(path: str, query: list[tuple[str, str]], cookie: str, token: str) -> Response:
    rest = urlencode([pair for pair in query if pair[0] != TOKEN_QUERY])
    # One slash only: "//name" would be another host.
    target = "/" + path.lstrip("/\\") + (f"?{rest}" if rest else "")
    response = Response(status_code=303, headers={"location": target, "cache-control": "no-store"})
    response.set_cookie(cookie, token, httponly=True, samesite="strict", path="/")
    return response


def _headers(scope: Scope) -> dict[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        if name in (b"host", b"origin", b"authorization", b"cookie"):
            found.setdefault(name, []).append(value)
    return found


def _bearers(headers: dict[bytes, list[bytes]]) -> list[bytes]:
    given = [value.partition(b" ") for value in headers.get(b"authorization", [])]
    return [rest.strip() for scheme, _, rest in given if scheme.lower() == b"bearer"][:1]


def _cookies(headers: dict[bytes, list[bytes]], name: str) -> list[bytes]:
    values = []
    for header in headers.get(b"cookie", []):
        try:
            jar = SimpleCookie(header.decode("latin-1"))
        except CookieError:
            continue
        if name in jar:
            values.append(jar[name].value.encode("latin-1", "replace"))
    return values


def _without_port(host: str) -> str:
    end = host.rfind("]")
    return host[: end + 1] if end > 0 else host.partition(":")[0]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _digest(token: bytes) -> bytes:
    """Return a digest: comparing those takes as long for tokens of any length."""
    return hashlib.sha256(token).digest()
