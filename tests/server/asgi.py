"""Asking an ASGI application without a network."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(app, path="/", method="GET", headers=(), body=b"", query="", host="localhost", kind="http"):
    """Return what the application answers; `body` may come in parts."""
    parts = [body] if isinstance(body, bytes) else list(body)
    given = [(b"host", host.encode())] if host is not None else []
    given += [(name.lower().encode(), value.encode()) for name, value in dict(headers).items()]
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "raw_path": quote(path).encode(),
        "query_string": query.encode(),
        "headers": given,
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "state": {},
    }
    return asyncio.run(_ask(app, scope, parts))


async def _ask(app, scope, parts):
    sent: list[dict[str, Any]] = []

    async def receive():
        if not parts:
            return await asyncio.get_running_loop().create_future()
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    if sent[0]["type"] == "websocket.close":
        return Answer(sent[0]["code"], {}, b"")
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(one.get("body", b"") for one in sent[1:]))
