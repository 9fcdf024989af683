"""The page is there before its model; its questions wait, and are told why there is none."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest
from starlette.routing import Route
from tests.server.asgi import ask

import deepaveragers as da
from deepaveragers.server.guard import Door
from deepaveragers.studio.opening import Opening
from deepaveragers.studio.page_files import page_route
from deepaveragers.studio.serving import guarded
from deepaveragers.studio.session import Session
from deepaveragers.studio.source import source_of
from deepaveragers.studio.studio import Studio


def opened(make):
    opening = Opening(make)
    routes = [Route("/api/{path:path}", opening), page_route()]
    return opening, guarded(routes, Door(None, None), opening.lifespan)


def test_the_page_does_not_wait_for_the_model(mdp, tmp_path):
    loaded, answers = threading.Event(), []

    def make():
        loaded.wait(60)
        return Studio(Session(source_of(mdp, "corridor"), tmp_path))

    opening, app = opened(make)
    opening.begin()
    waiting = threading.Thread(target=lambda: answers.append(ask(app, "/api/model")))
    waiting.start()
    assert ask(app, "/").status == 200
    assert opening.failure() is None
    assert answers == []
    loaded.set()
    waiting.join(60)
    assert answers[0].json["states"] == len(mdp)
    assert ask(app, "/api/nothing").status == 404
    assert ask(app, "/api/model", method="DELETE").status == 405


def test_who_waits_is_told_why_there_is_no_model():
    def make():
        raise da.InputError("path", "a bundle with a model", "a stone")

    opening, app = opened(make)
    opening.begin()
    answer = ask(app, "/api/model")
    assert (answer.status, answer.json["error"]) == (503, str(opening.failure()))
    assert "a stone" in answer.json["error"]


@pytest.mark.slow
def test_the_command_ends_where_a_model_cannot_be_read(mdp, tmp_path):
    model = da.save(mdp, tmp_path / "model")
    rewards = next(model.glob("transitions.rewards-*.npy"))
    rewards.write_bytes(rewards.read_bytes()[:-8] + b"12345678")
    command = [sys.executable, "-c", "from deepaveragers.cli import main; main()", "studio"]
    told = subprocess.run(
        [*command, str(model), "--port", "0", "--no-browser", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert told.returncode == 2
    address, failure = map(json.loads, told.stdout.splitlines())
    assert address["states"] == len(mdp)
    assert "damaged" in failure["error"]


def test_listening_loads_no_kernels():
    code = "import sys, deepaveragers.studio.serving; print('numba' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


ASKED = """
import sys, threading

loaded = {}

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("deepaveragers."):
            loaded[name] = threading.current_thread() is threading.main_thread()

from deepaveragers.studio.app import routes_of
from tests.studio.conftest import Page
from tests.studio.worlds import corridor
import deepaveragers as da

page = Page(da.compile(corridor(300), k=3), None)
sys.meta_path.insert(0, Watch())
plan = page.get("/api/opening")["plan"]["id"]
page.get("/api/data"), page.get("/api/trust")
page.post("/api/inspect", plan=plan, state=1)
page.post("/api/inspect/group", plan=plan, states=[1, 2])
page.post("/api/imagine", plan=plan, state=1)
page.get("/api/compare", left=plan, right=plan)
for part in ("inspecting", "grouping", "imagining", "data_page", "trusting", "comparing"):
    assert loaded["deepaveragers.studio." + part] is False, part
print(*(name for name, here in loaded.items() if here))
"""


@pytest.mark.slow
def test_what_a_click_loads_is_loaded_beside_the_event_loop():
    """Otherwise all others wait for it; the loop is that of the main thread here."""
    told = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, text=True, timeout=120
    )
    assert (told.stdout, told.stderr) == ("\n", "")
