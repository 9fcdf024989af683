"""Runs the studio on this machine, and opens it in a browser."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from ..errors import InputError
from .app import Studio
from .guard import Guard
from .session import Session
from .source import Source

HOST = "127.0.0.1"
TOKEN_BYTES = 24


def serve(
    source: Source, output: Path, port: int, *, browser: bool, say: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C.

    Args:
        source: the model.
        output: the folder that exports go to.
        port: 0 takes any that is free.
        browser: whether to open the page.
        say: is told the address.
    """
    with _bound(port) as listening:
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        address = f"http://{HOST}:{port}/?token={token}"
        studio = Studio(Session(source, output))
        guarded = Guard(studio.app(), token, port)
        settings = uvicorn.Config(
            guarded, log_level="warning", access_log=False, server_header=False,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        say(address)
        if browser:
            webbrowser.open(address)
        uvicorn.Server(settings).run([listening])


def _bound(port: int) -> socket.socket:
    """Return a socket on the loopback that listens."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise InputError("--port", "a port that is free here", port, str(error)) from None
    return listening
