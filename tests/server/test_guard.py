"""Nothing but liveness without the token; pages of others get nothing."""

from __future__ import annotations

import logging

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from tests.server.asgi import ask

import deepaveragers as da
from deepaveragers.server.application import application
from deepaveragers.server.guard import Door, door_for, is_loopback, new_token, read_token
from deepaveragers.server.limits import Limits

TOKEN = "correct-horse-battery"


async def hello(request):
    return PlainTextResponse("hello")


async def upper(socket):
    raise AssertionError("a socket came in")


def served(door: Door):
    paths = ("/", "/health/live", "/v1/decide")
    routes = [Route(path, hello, methods=["GET", "POST"]) for path in paths]
    routes.append(WebSocketRoute("/events", upper))
    return application(routes, door=door, limits=Limits(), log=logging.Logger("test"))


@pytest.mark.parametrize("path", ["/", "/v1/decide", "/nowhere", "/metrics", "//health/live"])
@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}"],
)
def test_without_the_token_nothing_but_liveness_is_answered(path, authorization):
    app = served(door_for("0.0.0.0", TOKEN))
    headers = {} if authorization is None else {"authorization": authorization}
    answer = ask(app, path, headers=headers)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert list(answer.json) == ["error"]
    assert ask(app, "/health/live", headers=headers).status == 200


def test_with_the_token_in_any_case_of_its_scheme():
    app = served(door_for("0.0.0.0", TOKEN))
    for scheme in ("Bearer", "bearer", "BEARER"):
        answer = ask(app, headers={"authorization": f"{scheme} {TOKEN}"}, host="any.example")
        assert answer.body == b"hello"


def test_the_token_in_the_address_is_of_no_use_to_a_server_without_a_cookie():
    app = served(door_for("0.0.0.0", TOKEN))
    assert ask(app, query=f"token={TOKEN}").status == 401
    assert ask(app, headers={"cookie": f"studio={TOKEN}"}).status == 401


def test_a_browser_gets_the_cookie_for_the_token_in_its_address():
    app = served(door_for("127.0.0.1", TOKEN, cookie="studio"))
    assert ask(app, query="token=wrong").status == 401
    entering = ask(app, "//evil.example", query=f"a=1&token={TOKEN}&b=%2F")
    assert entering.status == 303
    assert entering.headers["location"] == "/evil.example?a=1&b=%2F"
    cookie = entering.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    kept = cookie.partition(";")[0]
    assert ask(app, headers={"cookie": f"other=1; {kept}"}).body == b"hello"
    assert ask(app, method="POST", query=f"token={TOKEN}").status == 401


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:81", "x", "http://[", "http://localhost:80/"],
)
def test_a_page_of_another_origin_gets_nothing(origin):
    for app, cookie in (
        (served(door_for("127.0.0.1", TOKEN, cookie="studio")), {"cookie": f"studio={TOKEN}"}),
        (served(door_for("127.0.0.1", None)), {}),
    ):
        headers = {"origin": origin, **cookie}
        assert ask(app, method="POST", headers=headers, host="localhost:80").status == 403
        assert ask(app, "/events", headers=headers, host="localhost:80", kind="websocket").status
        same = {"origin": "http://localhost:80", **cookie}
        assert ask(app, method="POST", headers=same, host="localhost:80").body == b"hello"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil", "[::2]"])
def test_a_name_that_was_bound_to_the_loopback_address_is_refused(host):
    assert ask(served(door_for("127.0.0.1", None)), host=host).status == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:1", "box:1"])
def test_names_of_the_loopback_address(host):
    assert ask(served(door_for("127.0.0.1", None, hosts=["box"])), host=host).status == 200


def test_a_request_has_one_host():
    assert ask(served(door_for("127.0.0.1", None)), host=None).status == 400


def test_an_address_that_others_reach_needs_a_token():
    for host in ("0.0.0.0", "::", "10.0.0.1", "example.org", ""):
        assert not is_loopback(host)
        with pytest.raises(da.InputError, match="token"):
            door_for(host, None)
    assert is_loopback("::1")
    assert is_loopback("127.8.9.1")


def test_tokens_in_files(tmp_path):
    file = tmp_path / "token"
    token = new_token()
    file.write_text(f"{token}\n")
    assert read_token(file) == token
    for wrong in (b"", b"short", b"two words that are long", b"x" * 600, "ü".encode() * 20):
        file.write_bytes(wrong)
        with pytest.raises(da.InputError, match="openssl"):
            read_token(file)
    with pytest.raises(da.StorageError):
        read_token(tmp_path / "nowhere")
