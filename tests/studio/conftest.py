"""A studio in this process, and how its page would talk to it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.studio.worlds import corridor, pictures

import deepaveragers as da
from deepaveragers.studio.app import Studio
from deepaveragers.studio.guard import Guard
from deepaveragers.studio.session import Session
from deepaveragers.studio.source import source_of

PORT, TOKEN = 8400, "the-token"


class Page:
    """Asks as the page does."""

    def __init__(self, thing, output, path="corridor"):
        self.session = Session(source_of(thing, path), output)
        self.studio = Studio(self.session)
        self.app = Guard(self.studio.app(), TOKEN, PORT)
        self.client = TestClient(self.app, base_url=f"http://127.0.0.1:{PORT}")
        self.client.headers["authorization"] = f"Bearer {TOKEN}"
        self._sequence = 0

    def get(self, path, status=200, **query):
        return self._read(self.client.get(path, params=query), status)

    def post(self, path, status=200, **body):
        return self._read(self.client.post(path, content=json.dumps(body)), status)

    def delete(self, path, status=200):
        return self._read(self.client.delete(path), status)

    def ask(self, question, **more):
        self._sequence += 1
        asked = {"question": question, "tab": "a", "sequence": self._sequence, **more}
        return self.post("/api/plans", **asked)

    @staticmethod
    def _read(answer, status):
        assert answer.status_code == status, answer.text[:500]
        kind = answer.headers["content-type"]
        if kind == "application/json":
            return answer.json()
        if kind != "application/octet-stream":
            return answer.content
        length = int.from_bytes(answer.content[:4], "little")
        assert (4 + length) % 8 == 0
        head = json.loads(answer.content[4 : 4 + length])
        return SimpleNamespace(head=head, payload=answer.content[4 + length :])


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
