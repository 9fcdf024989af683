"""Studios that answer in a thread of this process, on real ports."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from deepaveragers.server.guard import door_for, new_token
from deepaveragers.server.running import address_of, bound_socket
from deepaveragers.studio.app import routes_of
from deepaveragers.studio.serving import HOST, guarded
from deepaveragers.studio.session import Session
from deepaveragers.studio.source import source_of
from deepaveragers.studio.studio import Studio


@dataclass(frozen=True)
class Running:
    """A studio: where it is, and where its exports go."""

    address: str
    token: str
    output: Path

    @property
    def entrance(self) -> str:
        return f"{self.address}/?token={self.token}"


@contextmanager
def running(thing, name: str, output: Path) -> Iterator[Running]:
    """Yield a studio on a model, a plan or data."""
    with bound_socket(HOST, 0) as bound:
        token = new_token()
        cookie = f"dac_studio_{bound.getsockname()[1]}"
        studio = Studio(Session(source_of(thing, name), output))
        app = guarded(routes_of(studio), door_for(HOST, token, cookie=cookie))
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        try:
            yield Running(address_of(bound, HOST), token, output)
        finally:
            server.should_exit = server.force_exit = True
            thread.join(10)
