"""Others get nowhere: without the token, from other hosts and origins, by paths or names."""

from __future__ import annotations

import ast
import json

import pytest
from tests.server.asgi import ask
from tests.studio.conftest import COOKIE, TOKEN
from tests.studio.worlds import corridor

import deepaveragers as da
from deepaveragers.studio import page_files as built

PATHS = ("/", "/api/model", "/api/axes/c0", "/api/events", "/assets/x.js", "/api/map.png")


def cookie(token=TOKEN):
    return {"cookie": f"{COOKIE}={token}"}


@pytest.mark.parametrize("path", PATHS)
def test_nothing_without_the_token(page, path):
    for headers in ({}, cookie("another-token-of-others"), {"authorization": "Bearer x"}):
        answer = ask(page.app, path, headers=headers)
        assert answer.status == 401
        assert set(answer.json) == {"error"}
    for method in ("POST", "DELETE"):
        assert ask(page.app, "/api/plans", method=method).status == 401


def test_the_address_of_the_start_gives_a_cookie_and_loses_the_token(page):
    answer = ask(page.app, "/", query=f"token={TOKEN}&question=%7B%7D")
    assert answer.status == 303
    assert answer.headers["location"] == "/?question=%7B%7D"
    kept = answer.headers["set-cookie"].lower()
    assert kept.startswith(f"{COOKIE}={TOKEN}")
    assert "httponly" in kept
    assert "samesite=strict" in kept
    assert ask(page.app, "/", headers=cookie()).status == 200
    assert ask(page.app, "/", query="token=another-token-of-others").status == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8400", "127.0.0.1.evil.example"])
def test_another_host_is_refused(page, host):
    assert ask(page.app, "/api/model", headers=cookie(), host=host).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "null"])
@pytest.mark.parametrize(("method", "path"), [("GET", "/api/model"), ("POST", "/api/plans")])
def test_another_origin_is_refused(page, method, path, origin):
    headers = {**cookie(), "origin": origin}
    assert ask(page.app, path, method, headers=headers, host="localhost:8400").status == 403


def test_answers_may_only_be_used_by_the_page(page):
    for path in ("/", "/api/model"):
        headers = ask(page.app, path, headers=cookie()).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


@pytest.fixture
def built_page(tmp_path, monkeypatch):
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>the page")
    (folder / "assets/app-1a2b.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return built.page_files(folder)


def test_files_of_the_page_and_no_others(built_page):
    assert set(built_page) == {"/", "/index.html", "/assets/app-1a2b.js"}
    assert built_page["/"].cache_control == "no-cache"
    assert "immutable" in built_page["/assets/app-1a2b.js"].cache_control
    assert built_page["/assets/app-1a2b.js"].media_type.startswith("text/javascript")


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/assets/../../secret.txt", "//etc/passwd", "/etc/passwd", "/assets/",
     "/..%2fsecret.txt", "/\\..\\secret.txt", "/api/../secret.txt", "/page_files.py", "/%00"],
)  # fmt: skip
def test_paths_lead_nowhere(page, path):
    answer = ask(page.app, path, headers=cookie())
    assert answer.status == 404
    assert set(answer.json) == {"error"}


@pytest.mark.parametrize(
    "name",
    ["../x", "/tmp/x", "a/b", "a\\b", "", ".", "..", "-x", "x.", "con", "NUL.html", "a\nb",
     "a" * 81, "x\x00", "~root", "%2e%2e"],
)  # fmt: skip
def test_exports_stay_in_their_folder(page, tmp_path, name):
    plan = page.get("/api/opening")["plan"]["id"]
    before = sorted(tmp_path.rglob("*"))
    for what in ("plan", "policy"):
        page.post("/api/export", status=422, what=what, plan=plan, name=name)
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_overwritten(page, tmp_path):
    plan = page.get("/api/opening")["plan"]["id"]
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "gone").symlink_to(tmp_path / "elsewhere")
    for name in ("mine", "gone"):
        page.post("/api/export", status=409, what="plan", plan=plan, name=name)
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


def test_hostile_names_are_only_text(tmp_path):
    from tests.studio.conftest import Page

    hostile = ("<script>x</script>", '"); import os #', "a\nb\x1b[31m")
    mdp = da.compile(corridor(300, names=hostile, actions=hostile), k=2)
    page = Page(mdp, tmp_path, path="<b>'); import os #")
    model = page.get("/api/model")
    assert [one["name"] for one in model["columns"]] == list(hostile)
    told = page.ask({"forbidden": [1], "penalties": {"0": 1}}).head["plan"]
    compile(told["python"], "snippet", "exec")
    assert ast.dump(ast.parse(told["python"])).count("Import(") == 1
    report = page.get("/api/report", plan=told["id"])
    assert b"<script>x" not in report


def test_bodies_that_are_no_questions(page):
    headers = {"authorization": f"Bearer {TOKEN}"}
    for body in (b"", b"{", b"[]", b"\xff", b'{"a":' * 5000, json.dumps({"x": 1}).encode()):
        for path in ("/api/plans", "/api/inspect", "/api/pins", "/api/export", "/api/imagine"):
            answer = ask(page.app, path, "POST", headers=headers, body=body)
            assert answer.status == 400
            assert set(answer.json) == {"error"}
    large = b'{"plan": "' + b"x" * (17 << 20)
    assert ask(page.app, "/api/inspect", "POST", headers=headers, body=large).status == 413
