"""Hostile requests: no 500, no hang, no leak of paths, and nothing without the token.

Bodies, headers, encodings, numbers that are none, depth, sizes, broken HTTP and slow clients, drawn
from a seed. After every few requests a sound one must be answered at once.
"""

from __future__ import annotations

import json
import random
import re
import socket
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.serving.servers import dac_serve

PATHS = ("/v1/decide", "/v1/explain", "/v1/policy", "/health/ready", "/metrics", "/openapi.json")
PATHS += ("/v2/models/policy/infer", "/v2", "/", "/../etc/passwd", "/v1/decide/", "/%00", "/v1/%2e")
METHODS = ("POST", "GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "XYZZY")
TOKEN = "benchmark-token-0123456789"
ANSWER_SECONDS = 20.0
HEAD_END = b"\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
SOUND_EVERY = 50
SLOW_CLIENTS = 20
LEAKS = re.compile(rb"Traceback|File \"|/home/|/usr/|/opt/|/tmp/|/work/|site-packages|\.py\b")
SOUND = json.dumps({"observation": [0.1, 0.2, 0.3, 0.4]}).encode()
VALUES: tuple[Any, ...] = (
    None, True, "", "x", "NaN", "1e5", 1e308, -1e308, 10**400, -1, 0, [], {}, [[]], {"a": {}},
    "\ud800", "\u0000", "é" * 1000, [None] * 4, [1e300] * 4, {"position": "x"}, 2**63, 0.1,
)  # fmt: skip


def run(policy: Path, requests: int, seed: int = 0, *, folder: Path) -> dict[str, Any]:
    """Send so many, half of them without the token; return what came back."""
    folder.mkdir(parents=True, exist_ok=True)
    token = folder / "token"
    token.write_text(TOKEN)
    chance, found = random.Random(seed), Counter[str]()
    slowest = 0.0
    options = ("--token-file", token, "--max-body", 1, "--max-seconds", 5)
    with dac_serve(policy, *options, log=folder / "server.log") as server:
        slow = [_slow_client(server.port, place) for place in range(SLOW_CLIENTS)]
        for number in range(requests):
            trusted = number % 2 == 0
            begin = time.monotonic()
            answer = _exchange(server.port, _request(chance, trusted=trusted))
            slowest = max(slowest, time.monotonic() - begin)
            _judge(found, answer, trusted=trusted)
            if number % SOUND_EVERY == 0:
                found["sound"] += 1
                sound = _exchange(server.port, _framed("POST", "/v1/decide", SOUND, trusted=True))
                found["sound answered"] += sound.startswith(b"HTTP/1.1 200")
        found["slow clients cut off"] = sum(_is_closed(client) for client in slow)
        found["alive"] = server.process.poll() is None
    return {"requests": requests, "slowest_seconds": round(slowest, 3), **found}


def _request(chance: random.Random, *, trusted: bool) -> bytes:
    """Return a request; those of the first two kinds may have no end."""
    kind = chance.randrange(10)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 2_000))
    if kind == 1:
        sound = bytearray(_framed("POST", "/v1/decide", SOUND, trusted=trusted))
        for _ in range(chance.randrange(1, 6)):
            sound[chance.randrange(len(sound))] = chance.randrange(256)
        return bytes(sound)
    method, path = chance.choice(METHODS), chance.choice(PATHS)
    if kind < 6:
        method, path = "POST", chance.choice(PATHS[:2] + PATHS[6:7])
    headers = _headers(chance) if chance.random() < 0.4 else []
    return _framed(method, path, _body(chance), headers, trusted=trusted)


def _body(chance: random.Random) -> bytes:
    kind = chance.randrange(9)
    if kind == 0:
        return chance.randbytes(chance.randrange(3_000))
    if kind == 1:
        return b"[" * chance.choice((10, 1_000, 200_000))
    if kind == 2:
        return b'{"observation": ' + b'{"a":' * chance.choice((3, 5_000))
    if kind == 3:
        words = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"0x10", b"01", b"+1", b"'a'")
        return b'{"observation": [0.1, 0.2, 0.3, %s]}' % chance.choice(words)
    if kind == 4:
        return SOUND.decode().encode(chance.choice(("utf-16", "utf-32", "utf-7", "cp500")))
    if kind == 5:
        return b"x" * chance.choice((100_000, 1_100_000))
    names = ("observation", "observations", "id", "ids", "inputs", "cases", "other")
    asked = {chance.choice(names): chance.choice(VALUES) for _ in range(chance.randrange(1, 4))}
    if kind == 6:
        asked["observation"] = {
            name: chance.choice(VALUES) for name in ("position", "speed", "angle", "load")
        }
    if kind == 7:
        asked["observations"] = [chance.choice(VALUES) for _ in range(chance.randrange(50))]
    return json.dumps(asked).encode("utf-8", "surrogatepass")


def _headers(chance: random.Random) -> list[bytes]:
    possible = [
        b"Content-Type: " + chance.choice((b"text/xml", b"application/octet-stream", b"a/b;c=d")),
        b"Host: " + chance.choice((b"", b"evil.example", b"localhost\x00", b"[::1")),
        b"Origin: " + chance.choice((b"http://evil.example", b"null", b"\xff\xfe", b"http://[")),
        b"Cookie: " + chance.choice((b'a="', b";;;", b"\x80=\x81", b"token=" + b"x" * 5_000)),
        b"X-Long: " + b"x" * chance.choice((10, 20_000, 80_000)),
        b"Transfer-Encoding: " + chance.choice((b"chunked", b"gzip, chunked", b"identity")),
        b"Content-Encoding: gzip",
        b"Expect: 100-continue",
        b"Upgrade: websocket\r\nConnection: Upgrade",
        b"Authorization: " + chance.choice((b"Bearer", b"Bearer x", b"Basic " + b"a" * 3_000)),
        b"X" * 300 + b": 1",
        b"\r\n".join(b"A%d: 1" % number for number in range(chance.choice((1, 2_000)))),
    ]
    return chance.sample(possible, chance.randrange(1, 4))


def _framed(
    method: str, path: str, body: bytes, headers: list[bytes] | None = None, *, trusted: bool
) -> bytes:
    own = [f"{method} {path} HTTP/1.1".encode(), b"Connection: close"]
    given = b"\n".join(headers or []).lower()
    if b"host:" not in given:
        own.append(b"Host: localhost")
    if b"content-type:" not in given:
        own.append(b"Content-Type: application/json")
    if b"transfer-encoding" not in given:
        own.append(b"Content-Length: %d" % len(body))
    if trusted and b"authorization" not in given:
        own.append(f"Authorization: Bearer {TOKEN}".encode())
    return b"\r\n".join([*own, *(headers or [])]) + b"\r\n\r\n" + body


def _exchange(port: int, request: bytes) -> bytes:
    """Return what the server answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS) as connection:
        answer = b""
        try:
            connection.sendall(request)
            if HEAD_END not in request:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before all of it was read
        try:
            while part := connection.recv(65_536):
                answer = (answer + part).removeprefix(CONTINUE)
                if _is_whole(answer, head_only=request.startswith(b"HEAD ")):
                    break
        except TimeoutError:
            return b"hang"
        except OSError:
            pass  # closed without an answer, or in its middle: what came is judged
        return answer


def _is_whole(answer: bytes, *, head_only: bool) -> bool:
    """Whether an answer is there to its end."""
    head, end, body = answer.partition(HEAD_END)
    length = re.search(rb"content-length: (\d+)", head.lower())
    return bool(end) and (head_only or (length is not None and len(body) >= int(length[1])))


def _judge(found: Counter[str], answer: bytes, *, trusted: bool) -> None:
    status = answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/1.1 ") else ""
    found[f"status {status or 'closed'}"] += 1
    found["hangs"] += answer == b"hang"
    found["leaks"] += LEAKS.search(answer) is not None
    live = b'{"status":"live"}' in answer
    found["answered without token"] += not trusted and status == "200" and not live


def _slow_client(port: int, place: int) -> socket.socket:
    """Return a connection that begins a request and goes no further."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
    begun = _framed("POST", "/v1/decide", SOUND, trusted=True)
    connection.sendall(begun[: -len(SOUND) + 5] if place % 2 else begun[: 20 + place])
    return connection


def _is_closed(connection: socket.socket) -> bool:
    try:
        while part := connection.recv(65_536):
            del part
        return True
    except TimeoutError:
        return False
    except OSError:
        return True
    finally:
        connection.close()
