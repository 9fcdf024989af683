"""A studio in this process, and how its page would talk to it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from urllib.parse import urlencode

import numpy as np
import pytest
from tests.server.asgi import ask
from tests.studio.worlds import corridor, pictures

import deepaveragers as da
from deepaveragers.server.guard import door_for
from deepaveragers.studio.app import routes_of
from deepaveragers.studio.serving import guarded
from deepaveragers.studio.session import Session
from deepaveragers.studio.source import source_of
from deepaveragers.studio.studio import Studio

TOKEN = "a-token-of-the-tests"
COOKIE = "dac_studio_8400"


class Page:
    """Asks as the page does."""

    def __init__(self, thing, output, path="corridor"):
        self.session = Session(source_of(thing, path), output)
        self.studio = Studio(self.session)
        door = door_for("127.0.0.1", TOKEN, cookie=COOKIE)
        self.app = guarded(routes_of(self.studio), door)
        self._sequence = 0

    def get(self, path, status=200, **query):
        return self._ask(path, status, query=urlencode(query))

    def post(self, path, status=200, **body):
        return self._ask(path, status, method="POST", body=json.dumps(body).encode())

    def delete(self, path, status=200):
        return self._ask(path, status, method="DELETE")

    def ask(self, question, **more):
        self._sequence += 1
        asked = {"question": question, "tab": "a", "sequence": self._sequence, **more}
        return self.post("/api/plans", **asked)

    def _ask(self, path, status, **request):
        headers = {"authorization": f"Bearer {TOKEN}"}
        answer = ask(self.app, path, headers=headers, **request)
        assert answer.status == status, answer.body[:500]
        kind = answer.headers.get("content-type")
        if kind == "application/json":
            return answer.json
        if kind != "application/octet-stream":
            return answer.body
        length = int.from_bytes(answer.body[:4], "little")
        assert (4 + length) % 8 == 0
        head = json.loads(answer.body[4 : 4 + length])
        return SimpleNamespace(head=head, payload=answer.body[4 + length :])


@pytest.fixture(scope="session")
def mdp():
    return da.compile(corridor(), k=4)


@pytest.fixture
def page(mdp, tmp_path):
    return Page(mdp, tmp_path)


@pytest.fixture(scope="session")
def picture_mdp():
    return da.compile(pictures(), k=3, encoder=da.Identity())


@pytest.fixture
def picture_page(picture_mdp, tmp_path):
    return Page(picture_mdp, tmp_path)


@pytest.fixture
def floats():
    return lambda payload: np.frombuffer(payload, dtype="<f4")


@pytest.fixture
def colours():
    return lambda payload: np.frombuffer(payload, dtype=np.uint8)
