"""Real browsers on real studios of small models."""

from __future__ import annotations

import os

import pytest
from benchmarks.studio.chromium import chromium
from benchmarks.studio.models import cartpole, pendulum
from benchmarks.studio.visits import visit
from tests.studio.browser.studios import running
from tests.studio.worlds import corridor, pictures

import deepaveragers as da
from deepaveragers.studio.page_files import BUILT

NOT_BUILT = "The studio's page is not built: `make test` builds it (npm ci, npm run build)."


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.slow)


def lacking(what):
    """Leave the test out, except where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


# A module each: Playwright's loop runs in this thread, and other tests start loops of their own.
@pytest.fixture(scope="module")
def browser():
    if not (BUILT / "index.html").is_file():
        lacking(NOT_BUILT)
    try:
        with chromium() as found:
            yield found
    except FileNotFoundError as missing:
        lacking(str(missing))


@pytest.fixture(scope="session")
def models():
    """Small models, made when they are first asked for."""
    makers = {
        "cartpole": lambda: cartpole(3000),
        "table": lambda: da.compile(corridor(), k=4),
        "pendulum": lambda: pendulum(5000),
        "pictures": lambda: da.compile(pictures(), k=3, encoder=da.Identity()),
    }
    made = {}

    def model(name):
        if name not in made:
            made[name] = makers[name]()
        return made[name]

    return model


@pytest.fixture
def studio(models, tmp_path):
    """Open studios by the names of models."""
    opened = []

    def open_one(name, thing=None):
        found = running(models(name) if thing is None else thing, name, tmp_path)
        opened.append(found)
        return found.__enter__()

    yield open_one
    for one in reversed(opened):
        one.__exit__(None, None, None)


@pytest.fixture
def enter(browser, studio):
    """Open a studio in a tab; at the end, nothing may have been complained about."""
    visits = []

    def enter_one(name, thing=None, fragment="", **context):
        where = studio(name, thing)
        found = visit(browser, where.entrance + fragment, **context)
        found.studio = where
        visits.append(found)
        return found

    yield enter_one
    complaints = [line for one in visits for line in one.complaints]
    for one in visits:
        one.page.context.close()
    assert not complaints
