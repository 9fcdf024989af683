"""Single promises of the page."""

from __future__ import annotations

import re

import pytest
from benchmarks.studio.visits import visit as open_tab
from playwright.sync_api import expect


def middle(visit):
    box = visit.page.locator("#map").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_lasso_describes_a_group(enter):
    visit = enter("table")
    page = visit.page
    visit.button("Lasso").click()
    x, y = middle(visit)
    page.mouse.move(x - 150, y - 120)
    page.mouse.down()
    for dx, dy in ((150, -120), (150, 120), (-150, 120), (-150, -100)):
        page.mouse.move(x + dx, y + dy, steps=6)
    page.mouse.up()
    expect(page.locator(".group h3")).to_have_text(re.compile("A group of [1-9]"))
    expect(page.locator(".group .paired tbody tr")).to_have_count(3)
    page.locator("#map").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".welcome")).to_be_visible()


def test_panning_and_zooming_move_the_axes(enter):
    visit = enter("table")
    page = visit.page
    ticks = page.locator(".ticks text")
    before = ticks.all_text_contents()
    x, y = middle(visit)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -1200)
    expect(page.locator(".ticks")).not_to_have_text("".join(before))
    visit.button("All").click()
    expect(page.locator(".ticks")).to_have_text("".join(before))


def test_what_the_data_do_not_know_is_said_loudly(enter):
    visit = enter("table")
    page = visit.page
    visit.button("Type an observation").click()
    expect(page.locator(".support.well")).to_be_visible()
    place = page.locator(".typed input[type=number]").first
    place.fill("1e6")
    place.press("Enter")
    alert = page.locator(".support.none")
    expect(alert).to_have_attribute("role", "alert")
    expect(alert).to_contain_text("Unlike anything in the data")
    expect(page.locator(".typed .outside")).to_contain_text("outside")


def test_a_link_and_a_snippet_ask_the_same_elsewhere(enter, browser):
    visit = enter("cartpole")
    page = visit.page
    visit.button("one action in ten slips?").click()
    expect(page.locator(".question")).to_contain_text("slip 10 %")
    visit.certified()
    visit.button("Link and Python").click()
    link, python = page.locator(".copied textarea").all()
    assert "slip=0.1" in python.input_value()
    address = link.input_value()
    assert visit.studio.token not in address
    other = open_tab(browser, visit.studio.entrance + "#" + address.split("#")[1])
    expect(other.page.locator(".question")).to_contain_text("slip 10 %")
    assert other.figure("Value at the starts") == visit.figure("Value at the starts")
    other.page.context.close()


def test_undo_and_redo_by_keys(enter):
    visit = enter("table")
    question = visit.page.locator(".question")
    visit.button("cases turn out badly?").click()
    expect(question).to_contain_text("worst case 30 %")
    visit.page.locator("#map").focus()
    visit.page.keyboard.press("Control+z")
    expect(question).to_contain_text("The first question")
    visit.page.keyboard.press("Control+Shift+z")
    expect(question).to_contain_text("worst case 30 %")
    visit.certified()


def test_another_reward_by_columns(enter):
    visit = enter("table")
    page = visit.page
    page.get_by_text("Another reward", exact=True).click()
    visit.button("Add a term").click()
    times = page.get_by_label("Times")
    times.fill("5")
    times.press("Enter")
    expect(page.locator(".question")).to_contain_text("another reward")
    visit.certified()
    visit.button("Link and Python").click()
    expect(page.locator(".copied textarea").last).to_have_value(re.compile("rewards"))


def test_tabs_share_pins_and_keep_their_questions(enter):
    visit = enter("table")
    other = visit.page.context.new_page()
    other.goto(visit.studio.address)
    other.wait_for_selector(".status.certified")
    visit.button("we stay close to what was done?").click()
    expect(visit.page.locator(".question")).to_contain_text("support 30 %")
    visit.certified()
    visit.button("Pin this plan").click()
    expect(other.locator(".pins li")).to_contain_text("support 30 %")
    expect(other.locator(".question")).to_contain_text("The first question")


def test_an_action_can_be_hidden_on_the_map(enter):
    visit = enter("cartpole", fragment="#by=action")
    before = visit.colours()
    for category in visit.page.locator(".category").all():
        category.click()
        expect(category).to_have_attribute("aria-pressed", "false")
    drawn = (visit.page.wait_for_timeout(200) or visit.colours() for _ in range(50))
    assert any(now < before for now in drawn)


@pytest.mark.parametrize("nonsense", ["#gamma=2&k=-1&forbidden=99", "#x=zz&state=1e9&by=oops"])
def test_a_link_that_makes_no_sense_is_said_not_suffered(browser, studio, nonsense):
    where = studio("table")
    page = browser.new_context().new_page()
    page.goto(where.entrance + nonsense)
    expect(page.locator(".told.error, .status.certified").first).to_be_visible()
    expect(page.locator(".questions")).to_be_visible()
    expect(page.locator(".answer")).to_be_visible()  # the first plan's, marked as stale
    expect(page.locator(".opening")).to_have_count(0)
    page.context.close()


def test_a_newer_question_overtakes_a_slow_one(enter):
    visit = enter("table")
    page, held = visit.page, []

    def hold_the_first(route):
        if not held and route.request.method == "POST":
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/plans", hold_the_first)
    visit.button("one action in ten slips?").click()
    expect(page.locator(".status.stale")).to_be_visible()
    visit.button("cases turn out badly?").click()
    visit.certified()
    value = visit.figure("Value at the starts")
    expect(page.locator(".question")).to_contain_text("slip 10 %, worst case 30 %")
    held[0].continue_()
    page.wait_for_timeout(1000)
    assert visit.figure("Value at the starts") == value
    visit.certified()


def test_a_long_question_can_be_pinned(enter):
    asked = "gamma=0.95231&horizon=40&worst_case=0.31&support=0.31&k=3&cost=12.345&weighting="
    limits = "ranges=0::-1.234,0:1.456:&penalty=0:0.512"
    visit = enter("pendulum", fragment=f"#{asked}uniform&{limits}")
    visit.certified()
    visit.button("Pin this plan").click()
    expect(visit.page.locator(".pins .name")).to_have_text(re.compile("^gamma 0.95231, .*…$"))


def test_no_more_can_be_pinned_than_are_kept(enter):
    visit = enter("table")
    plan = visit.page.evaluate("fetch('/api/opening').then((answer) => answer.json())")["plan"]
    pin = """async ([first, most]) => {
        const ask = (path, body) => fetch(path, { method: "POST", body: JSON.stringify(body),
            headers: { "Content-Type": "application/json" } });
        for (let n = 0; n < most; n++) {
            const question = { ...first.question, gamma: 0.5 + n / 100 };
            const answer = await ask("/api/plans", { question, tab: "other", sequence: n });
            const bytes = await answer.arrayBuffer();
            const length = new DataView(bytes).getUint32(0, true);
            const text = new TextDecoder().decode(new Uint8Array(bytes, 4, length));
            await ask("/api/pins", { plan: JSON.parse(text).plan.id, label: `pin ${n}` });
        }
    }"""
    visit.page.evaluate(pin, [plan, 12])
    expect(visit.page.locator(".pins li")).to_have_count(12)
    expect(visit.button("Pin this plan")).to_be_disabled()
    expect(visit.page.locator(".pins .help")).to_contain_text("remove one")
