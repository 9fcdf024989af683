"""Limits, and errors in words."""

from __future__ import annotations

import asyncio
import io
import json
import logging

import pytest
from starlette.responses import Response
from starlette.routing import Route
from tests.server.asgi import ask

import deepaveragers as da
from deepaveragers.server.application import application
from deepaveragers.server.guard import door_for
from deepaveragers.server.limits import Limited, Limits
from deepaveragers.server.logs import server_log
from deepaveragers.server.problems import Problem


async def echo(request):
    return Response(await request.body())


async def slow(request):
    await request.body()
    await asyncio.sleep(60)


async def wrong(request):
    raise da.InputError("gamma", "in [0, 1)", 2)


async def mistake(request):
    raise RuntimeError("/secret/path")


def served(log=None, **limits):
    paths = {"/echo": echo, "/slow": slow, "/wrong": wrong, "/mistake": mistake}
    routes = [Route(path, answer, methods=["POST"]) for path, answer in paths.items()]
    door = door_for("127.0.0.1", None)
    log = log or logging.Logger("test")
    return application(routes, door=door, limits=Limits(**limits), log=log)


def post(app, path, **more):
    return ask(app, path, method="POST", **more)


def test_bodies_up_to_the_limit():
    app = served(body_bytes=10)
    assert post(app, "/echo", body=b"x" * 10).body == b"x" * 10
    assert post(app, "/echo", body=[b"x" * 5, b"x" * 6]).status == 413
    assert post(app, "/echo", headers={"content-length": "11"}).status == 413


def test_time_ends():
    app = served(seconds=0.05)
    assert post(app, "/slow", body=b"{}").status == 503
    assert post(app, "/slow", body=()).status == 408


def test_no_more_at_once_than_allowed():
    gate = asyncio.Event()

    async def waiting(scope, receive, send):
        await gate.wait()

    async def two():
        app = Limited(waiting, Limits(concurrency=1))
        scope = {"type": "http", "path": "/", "headers": []}
        first = asyncio.create_task(app(scope, None, None))
        await asyncio.sleep(0)
        with pytest.raises(Problem) as found:
            await app(scope, None, None)
        gate.set()
        await first
        await app(scope, None, None)
        return found.value.status

    assert asyncio.run(two()) == 429


def test_errors_in_one_sentence():
    stream = io.StringIO()
    app = served(server_log(stream))
    assert post(app, "/wrong").json == {"error": "gamma must be in [0, 1); received 2."}
    assert post(app, "/wrong").status == 422
    assert post(app, "/nowhere").status == 404
    assert ask(app, "/echo").status == 405
    hidden = post(app, "/mistake")
    assert hidden.status == 500
    assert "secret" not in hidden.body.decode()
    (line,) = map(json.loads, stream.getvalue().splitlines())
    assert line["event"] == "mistake"
    assert line["path"] == "/mistake"
    assert "/secret/path" in line["trace"]


@pytest.mark.parametrize("name", ["body_bytes", "concurrency", "connections", "seconds"])
def test_limits_are_positive(name):
    with pytest.raises(da.InputError, match=name):
        Limits(**{name: 0})
