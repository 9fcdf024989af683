"""Starting and stopping the servers that are measured, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.serving.generator import Answer, Question

PROGRAM = "from deepaveragers.cli import main; main()"
PATIENCE_SECONDS = 60.0


@dataclass
class Running:
    """A server that answers.

    Attributes:
        process: of the server.
        port: on the loopback address.
    """

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self.port}"

    def resident_bytes(self) -> int:
        """Return the memory that the server has at present, of its own and shared."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def dac_serve(policy: Path, *options: object, log: Path | None = None) -> Iterator[Running]:
    """Serve a policy, and stop in peace."""
    words = ["serve", str(policy), "--port", "0", "--json", *map(str, options)]
    command = [sys.executable, "-c", PROGRAM, *words]
    with started(command, log=log, output=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"dac {' '.join(words)} did not start")
        yield Running(process, int(json.loads(line)["address"].rpartition(":")[2]))


@contextmanager
def started(
    command: Sequence[str],
    *,
    log: Path | None = None,
    more: Mapping[str, str] | None = None,
    output: int = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[str]]:
    """Start a process with our modules at hand, and end it with its children.

    Args:
        command: words of it.
        log: gets what it says of errors.
        more: variables of its environment.
        output: `subprocess.PIPE` where it is read; a full pipe would stop a talkative server.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(more or {})}
    with open(log or os.devnull, "a") as errors:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=errors,
            text=True,
            env=environment,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def free_port() -> int:
    """Return a port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until something listens."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def generate(question: Question) -> Answer:
    """Send load from a process of its own, and return what came back."""
    with generating(question) as process:
        return finished(process)


@contextmanager
def generating(question: Question) -> Iterator[subprocess.Popen[str]]:
    """Send load from a process of its own meanwhile."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.serving.generator"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(vars(question)))
    process.stdin.close()
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def finished(process: subprocess.Popen[str]) -> Answer:
    """Return what a generator says at its end."""
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.read())
    return Answer(**found)
