"""A running server: ready, patient only so long, and stopped without loss."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import time

import pytest

import deepaveragers as da
from deepaveragers.server.running import bound_socket

PROGRAM = """
import asyncio, sys
from starlette.responses import Response
from starlette.routing import Route
from deepaveragers.server.application import application
from deepaveragers.server.guard import door_for
from deepaveragers.server.limits import Limits
from deepaveragers.server.logs import server_log
from deepaveragers.server.running import address_of, bound_socket, run

async def slowly(request):
    await asyncio.sleep(0.5)
    return Response("done")

log = server_log(sys.stderr)
limits = Limits(header_seconds=0.4, header_bytes=4096, connections=20)
bound = bound_socket("127.0.0.1", 0)
app = application([Route("/", slowly)], door=door_for("127.0.0.1", None), limits=limits, log=log)
run(app, bound, limits=limits, log=log,
    ready=lambda: print(address_of(bound, "127.0.0.1"), flush=True))
"""


@pytest.fixture
def server():
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], **pipes)
    process.port = int(process.stdout.readline().rpartition(":")[2])
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def get(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/")
    return connection


def was_closed(connection):
    """Whether the other side leaves without an answer."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


def test_a_request_under_way_is_answered_before_the_end(server):
    connection = get(server.port)
    time.sleep(0.2)
    server.send_signal(signal.SIGTERM)
    assert connection.getresponse().read() == b"done"
    assert server.wait(20) == 0


@pytest.mark.slow
def test_slow_and_large_headers_are_not_waited_for(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert was_closed(slow)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as large:
        large.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 8192)
        status, _, rest = large.makefile("rb").read().partition(b"\r\n")
        assert b"431" in status
        assert json.loads(rest.rpartition(b"\r\n\r\n")[2])["error"]
    assert get(server.port).getresponse().read() == b"done"


def test_connections_are_limited(server):
    address = ("127.0.0.1", server.port)
    open_ones = [socket.create_connection(address, timeout=20) for _ in range(20)]
    with socket.create_connection(address, timeout=20) as refused:
        assert was_closed(refused)
    for one in open_ones:
        one.close()


def test_an_address_in_use_is_said_at_once():
    with bound_socket("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(da.InputError, match="port"):
            bound_socket("127.0.0.1", port)
    for host, port in (("127.0.0.1", 65_536), ("127.0.0.1", -1), ("no.such.host.invalid", 0)):
        with pytest.raises(da.InputError):
            bound_socket(host, port)
