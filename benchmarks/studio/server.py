"""A studio in a process of its own, and a client that asks as its page does."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

WORKING = 0.1
"""Seconds of a processor in one second, from which on the server is at work."""
AT_REST, MOST_WAITING = 12.0, 180.0
"""Seconds: the server gives freed memory back ten seconds after work."""


class Client:
    """One connection that is kept open."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._token = parse_qs(parts.query)["token"][0]
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=600)

    def get(self, path: str) -> bytes:
        """Return what is at a path."""
        return self._ask("GET", path)

    def post(self, path: str, body: Any) -> bytes:
        """Return the answer to a record."""
        return self._ask("POST", path, json.dumps(body))

    def _ask(self, method: str, path: str, body: str | None = None) -> bytes:
        self._connection.request(method, path, body, {"authorization": f"Bearer {self._token}"})
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status not in (200, 204):
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:200]!r}")
        return content


def head(framed: bytes) -> dict[str, Any]:
    """Return the head of a framed answer."""
    length = int.from_bytes(framed[:4], "little")
    return json.loads(framed[4 : 4 + length])


class Server:
    """A running studio."""

    def __init__(self, process: subprocess.Popen[str], address: str, began: float) -> None:
        self._process, self.address, self.began = process, address, began
        self.ready = time.perf_counter()

    @property
    def resident_megabytes(self) -> float:
        """Memory of the process now."""
        return self._status("VmRSS")

    @property
    def peak_megabytes(self) -> float:
        """The most that it ever had."""
        return self._status("VmHWM")

    def rest(self) -> None:
        """Wait until it has done nothing for so long that what it freed is given back."""
        since, before, began = time.monotonic(), self._cpu_seconds(), time.monotonic()
        while time.monotonic() - since < AT_REST and time.monotonic() - began < MOST_WAITING:
            time.sleep(1.0)
            now = self._cpu_seconds()
            if now - before > WORKING:
                since = time.monotonic()
            before = now

    def _cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def has_loaded(self, library: str) -> bool:
        """Return whether the process has loaded a library, by a part of its file's name."""
        return library in Path(f"/proc/{self._process.pid}/maps").read_text()

    def _status(self, name: str) -> float:
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        kilobytes = next(line for line in lines if line.startswith(f"{name}:")).split()[1]
        return int(kilobytes) / 1024


@contextmanager
def serving(model: Path, python: str = sys.executable) -> Iterator[Server]:
    """Yield a studio on a model; it is stopped afterwards.

    Args:
        model: what it is opened on.
        python: of the environment that it runs in.
    """
    began = time.perf_counter()
    command = [python, "-c", "from deepaveragers.cli import main; main()"]
    process = subprocess.Popen(
        [*command, "studio", str(model), "--port", "0", "--no-browser", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Server(process, json.loads(process.stdout.readline())["address"], began)
    finally:
        process.terminate()
        process.wait(30)
