"""Without WebGL2 the server draws the map, and the page says so."""

from __future__ import annotations

import pytest
from benchmarks.studio.chromium import WITHOUT_WEBGL, chromium
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def browser():
    with chromium(WITHOUT_WEBGL) as found:
        yield found


def test_the_server_draws_and_states_can_be_taken(enter):
    visit = enter("table")
    page = visit.page
    expect(page.locator(".message")).to_contain_text("no WebGL2")
    picture = page.locator("img.points")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 300
    assert visit.colours() > 5
    visit.choose_a_state()
    for by in ("changed", "difference"):  # against the first plan
        with page.expect_response(lambda answer, by=by: f"by={by}" in answer.url) as drawn:
            visit.colour_by(by)
        assert drawn.value.ok
