"""Names in the data are text, whatever they say; other pages learn nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.studio.browser import story
from tests.studio.worlds import corridor, slope

import deepaveragers as da

SCRIPT = "<img src=x onerror=\"document.body.dataset.owned='1'\">"
NAMES = (SCRIPT, '"><script>document.body.dataset.owned=1</script>', "a\x1b[31m\u202e\x07b")
ACTIONS = ("<b onmouseover=alert(1)>back</b>", "javascript:alert(1)", "</textarea><svg onload=x>")


@pytest.fixture(scope="module")
def hostile():
    return da.compile(corridor(names=NAMES, actions=ACTIONS), k=4)


def test_hostile_names_are_text(enter, hostile):
    visit = enter("<script>alert(1)</script>", hostile)
    page = visit.page
    page.on("dialog", lambda dialog: pytest.fail("a name opened a dialog"))
    expect(page.locator(".actions tbody th").first).to_contain_text(ACTIONS[0])
    story.ask_questions(visit)
    story.look_closer(visit)
    expect(page.locator(".observation tbody th").first).to_have_text(SCRIPT)
    page.get_by_label("Name of the pin").fill(SCRIPT)
    visit.button("Pin this plan").click()
    expect(page.locator(".pins li")).to_contain_text(SCRIPT)
    visit.panel("Compare")
    page.wait_for_selector(".compare .verdict")
    story.read_about(visit)
    assert page.evaluate("document.body.dataset.owned") is None
    assert page.locator("#studio script, #studio b[onmouseover], #studio svg[onload]").count() == 0


def test_hostile_names_of_columns_are_text(enter):
    visit = enter("rows", da.compile(slope(400, columns=ACTIONS[:2]), k=3))
    page = visit.page
    page.on("dialog", lambda dialog: pytest.fail("a name opened a dialog"))
    expect(page.locator(".limits").first).to_contain_text(ACTIONS[0])
    visit.button("only reaches half").click()
    visit.certified()
    visit.colour_by("shift:0")
    expect(page.locator(".legend-title")).to_contain_text(ACTIONS[0])
    story.look_closer(visit)
    visit.panel("Compare")
    page.wait_for_selector(".compare .verdict")
    story.read_about(visit)
    assert page.locator("#studio script, #studio b[onmouseover], #studio svg[onload]").count() == 0


def test_another_page_learns_nothing(browser, studio):
    victim, attacker = studio("table"), studio("cartpole")
    context = browser.new_context()
    page = context.new_page()
    page.goto(victim.entrance)
    page.wait_for_selector(".legend")
    # The attacker's page is of the same machine: the cookie's site is the same, the origin is not.
    page.goto(attacker.entrance)
    page.wait_for_selector(".legend")
    learnt = page.evaluate(
        """async (address) => {
            const tries = [];
            for (const [path, options] of [
                ["/api/model", {credentials: "include"}],
                ["/api/model", {credentials: "include", mode: "no-cors"}],
                ["/api/pins", {method: "POST", credentials: "include", body: "{}"}],
            ]) {
                try { tries.push((await fetch(address + path, options)).status); }
                catch (failure) { tries.push("refused"); }
            }
            return tries;
        }""",
        victim.address,
    )
    assert all(one in ("refused", 0) for one in learnt)
    context.close()


def test_without_the_token_there_is_no_page(browser, studio):
    where = studio("table")
    page = browser.new_context().new_page()
    for address in (
        where.address,
        f"{where.address}/?token=wrong",
        f"{where.address}/../etc/passwd",
    ):
        answer = page.goto(address)
        assert answer.status in (401, 403, 404)
        assert page.locator("#studio").count() == 0
    page.context.close()
