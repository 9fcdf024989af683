"""The whole story of a studio: open, colour, ask, look closer, pin, compare, take away.

The tests tell it to small models; `screenshots` tells it to larger ones for the docs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from benchmarks.studio.visits import Visit
from playwright.sync_api import expect

Shot = Callable[[str], None]


def nothing(name: str) -> None:
    """Take no picture."""


def ask_questions(visit: Visit, shot: Shot = nothing) -> None:
    """Colour by action, slide the discount, forbid an action: the map and the figures follow."""
    page = visit.page
    shot("first")
    visit.colour_by("action")
    expect(page.locator(".legend-title")).to_have_text("planned action")
    before = visit.figure("Value at the starts")
    slider = page.get_by_label("Discount (gamma)", exact=True)
    slider.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".question")).to_contain_text("gamma")
    visit.certified()
    expect(page.locator(".figure-box", has_text="Value at the starts")).not_to_contain_text(before)
    page.locator(".actions input[type=checkbox]").first.check()
    expect(page.locator(".question")).to_contain_text("never")
    expect(page.locator(".actions .never .figure")).to_have_text("0.0 %")
    visit.certified()
    visit.colour_by("changed")
    expect(page.locator(".categories")).to_contain_text("another")
    shot("what-if")


def look_closer(visit: Visit, shot: Shot = nothing) -> None:
    """Take a state, read its evidence, draw its imagined future."""
    page = visit.page
    visit.choose_a_state()
    if page.locator(".verdict b").count():
        expect(page.locator(".bars tbody tr").first).to_contain_text("best")
        expect(page.locator(".cases tbody tr").first).to_be_visible()
        visit.button("Draw it on the map").click()
        page.wait_for_selector(".future .line", state="attached")
    shot("inspect")


def compare_pins(visit: Visit, shot: Shot = nothing) -> None:
    """Pin the present plan and another one, and compare them."""
    page = visit.page
    page.get_by_label("Name of the pin").fill("careful")
    visit.button("Pin this plan").click()
    expect(page.locator(".pins li")).to_have_count(1)
    visit.button("Back to the first question").click()
    expect(page.locator(".question")).to_contain_text("The first question")
    visit.certified()
    visit.button("Pin this plan").click()
    expect(page.locator(".pins li")).to_have_count(2)
    visit.panel("Compare")
    page.wait_for_selector(".compare .verdict")
    pictures = page.locator(".side img")
    for index in range(2):
        expect(pictures.nth(index)).to_have_js_property("complete", True)
        assert pictures.nth(index).evaluate("image => image.naturalWidth") > 0
    visit.button("Show where on the map").click()
    expect(page.locator(".legend-title")).to_contain_text("value, less that of")
    shot("compare")


def read_about(visit: Visit, shot: Shot = nothing) -> None:
    """Read what the data and the plan are worth."""
    page = visit.page
    visit.panel("Data")
    page.wait_for_selector(".histogram")
    shot("data")
    visit.panel("Trust")
    page.wait_for_selector(".statements .proved")
    expect(page.locator(".statements .assumed").last).to_contain_text("not the world")
    shot("trust")


def take_away(visit: Visit, shot: Shot = nothing) -> None:
    """Save the plan as a policy."""
    visit.panel("Take away")
    visit.button("Save policy").click()
    expect(visit.page.locator(".told")).to_contain_text("Saved")
    shot("take-away")


def come_back(visit: Visit) -> None:
    """Reload: the question, the colours, the panel and the undo are still there."""
    page = visit.page
    visit.colour_by("action")
    slip = page.get_by_label("Slip, exact")
    slip.fill("0.25")
    slip.press("Enter")
    expect(page.locator(".question")).to_contain_text("slip 25 %")
    visit.certified()
    value = visit.figure("Value at the starts")
    expect(page).to_have_url(re.compile("slip=0.25"))
    page.reload()
    visit.ready()
    expect(page.locator(".question")).to_contain_text("slip 25 %")
    expect(page.locator(".legend-title")).to_have_text("planned action")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Take away")
    assert visit.figure("Value at the starts") == value
    visit.button("Undo").click()
    expect(page.locator(".question")).to_contain_text("The first question")
    visit.certified()
