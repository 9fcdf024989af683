"""Load from a process of its own: keep-alive connections, every answer read and checked.

    python -m benchmarks.serving.generator < question.json > answer.json

"closed": every connection sends its next request as soon as the last one is answered, which
shows the rate at which the server is saturated. "open": requests fall due at a fixed rate, whether
or not others are answered, and latency counts from when one was due.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import re
import sys
import time
from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
PERCENTILES = (50.0, 90.0, 99.0, 99.9)
TICK_SECONDS = 0.0005
"""Between two looks at which requests are due."""
STOP_SECONDS = 10.0
"""For answers that are under way at the end."""


@dataclass(frozen=True)
class Question:
    """What to send.

    Attributes:
        port: of the server, on the loopback address.
        path: of the requests.
        bodies: in base64; sent in turn.
        headers: of the requests.
        seconds: how long.
        connections: how many.
        rate: requests per second that fall due; None sends as fast as answers come.
        expected: by plan, the actions that the bodies get; empty checks nothing but the status.
    """

    port: int
    path: str
    bodies: list[str]
    headers: dict[str, str]
    seconds: float
    connections: int
    rate: float | None = None
    expected: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Answer:
    """What came back.

    Attributes:
        requests: that were answered.
        statuses: how many of each; "lost" for connections that broke.
        mixed: answers whose action is not the one of the plan that they name.
        plans: answers by plan.
        seconds: from the first to the last.
        milliseconds: percentiles of latency.
        slowest: latency in milliseconds.
    """

    requests: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    mixed: int = 0
    plans: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    milliseconds: dict[str, float] = field(default_factory=dict)
    slowest: float = 0.0


class Connection(asyncio.Protocol):
    """One keep-alive connection; one request at a time."""

    def __init__(self, load: Load) -> None:
        self._load, self._text = load, b""
        self._due, self._number, self._busy = 0.0, 0, False
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = transport

    def send(self, due: float, number: int) -> None:
        """Send the request of a number."""
        self._due, self._number, self._busy = due, number, True
        self.transport.write(self._load.requests[number % len(self._load.requests)])

    def data_received(self, data: bytes) -> None:
        """Read an answer; it may come in parts."""
        self._text += data
        end = self._text.find(HEAD_END)
        if end < 0:
            return
        head = self._text[:end]
        found = LENGTH.search(head)
        if found is None:  # chunks, or an answer that ends with the connection: not for us
            self.transport.close()
            return
        length = int(found[1])
        body = self._text[end + 4 :]
        if len(body) < length:
            return
        self._text, self._busy = b"", False
        self._load.answered(self, self._due, self._number, int(head[9:12]), body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Say so."""
        self._load.lost(self, self._busy)


class Load:
    """All connections, and what they were answered."""

    def __init__(self, question: Question) -> None:
        self._question = question
        lines = [f"POST {question.path} HTTP/1.1", f"Host: 127.0.0.1:{question.port}"]
        lines += [f"{name}: {value}" for name, value in question.headers.items()]
        head = "\r\n".join(lines).encode()
        bodies = [base64.b64decode(body) for body in question.bodies]
        self.requests = [
            b"%s\r\nContent-Length: %d\r\n\r\n%s" % (head, len(body), body) for body in bodies
        ]
        self._latencies: list[float] = []
        self._statuses: Counter[str] = Counter()
        self._plans: Counter[str] = Counter()
        self._mixed = self._number = 0
        self._idle: deque[Connection] = deque()
        self._ending = False

    async def run(self) -> Answer:
        """Send all, and return what came back."""
        for _ in range(self._question.connections):
            self._idle.append(await self._connect())
        begin = time.perf_counter()
        await (self._closed if self._question.rate is None else self._open)(begin)
        seconds = time.perf_counter() - begin
        self._ending = True
        stop = time.perf_counter() + STOP_SECONDS
        while len(self._idle) < self._question.connections and time.perf_counter() < stop:
            await asyncio.sleep(0.01)
        return self._summary(seconds)

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        made = await loop.create_connection(
            lambda: Connection(self), "127.0.0.1", self._question.port
        )
        return made[1]

    async def _closed(self, begin: float) -> None:
        end = begin + self._question.seconds
        while time.perf_counter() < end:
            while self._idle:
                self._send(self._idle.popleft(), time.perf_counter())
            await asyncio.sleep(0.05)

    async def _open(self, begin: float) -> None:
        rate, total = self._question.rate, int(self._question.rate * self._question.seconds)
        due, stop = 0, begin + self._question.seconds + STOP_SECONDS
        while due < total and time.perf_counter() < stop:
            now = time.perf_counter()
            while due < total and begin + due / rate <= now and self._idle:
                self._send(self._idle.popleft(), begin + due / rate)
                due += 1
            await asyncio.sleep(TICK_SECONDS)

    def _send(self, connection: Connection, due: float) -> None:
        number, self._number = self._number, self._number + 1
        connection.send(due, number)

    def answered(
        self, connection: Connection, due: float, number: int, status: int, body: bytes
    ) -> None:
        """Note an answer, and send the next request where none has to wait for its time."""
        now = time.perf_counter()
        self._latencies.append(now - due)
        self._statuses[str(status)] += 1
        if self._question.expected and status == 200:
            self._check(number, body)
        if self._ending or self._question.rate is not None:
            self._idle.append(connection)
        else:
            self._send(connection, now)

    def _check(self, number: int, body: bytes) -> None:
        found = json.loads(body)
        self._plans[found["plan"]] += 1
        wanted = self._question.expected.get(found["plan"])
        actions = [one["action"] for one in found["decisions"]]
        place = number % len(self.requests)
        self._mixed += wanted is None or actions != [wanted[place]]

    def lost(self, connection: Connection, busy: bool) -> None:
        """Note a connection that the server closed; one under way is a failed request."""
        if self._ending:
            return
        if busy:
            self._statuses["lost"] += 1
        elif connection in self._idle:
            self._idle.remove(connection)
        task = asyncio.get_running_loop().create_task(self._connect())
        task.add_done_callback(self._reconnected)

    def _reconnected(self, task: asyncio.Task[Connection]) -> None:
        if task.exception() is None:
            self._idle.append(task.result())
        else:
            self._statuses["unreachable"] += 1

    def _summary(self, seconds: float) -> Answer:
        times = np.asarray(self._latencies or [np.nan]) * 1e3
        ranks = {f"p{rank:g}": round(float(np.percentile(times, rank)), 3) for rank in PERCENTILES}
        return Answer(
            requests=len(self._latencies),
            statuses=dict(self._statuses),
            mixed=self._mixed,
            plans=dict(self._plans),
            seconds=seconds,
            milliseconds=ranks,
            slowest=round(float(times.max()), 3),
        )


def main() -> None:
    """Answer one question."""
    import uvloop

    question = Question(**json.load(sys.stdin))
    gc.disable()  # a pause of the generator would count as the server's
    print(json.dumps(asdict(uvloop.run(Load(question).run()))))


if __name__ == "__main__":
    main()
