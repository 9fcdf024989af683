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


def ask_about_rows(visit: Visit) -> None:
    """Colour by a column of the actions, halve its range, price its effort: the map follows."""
    page = visit.page
    visit.colour_by("action:0")
    expect(page.locator(".legend-title")).to_have_text("planned torque")
    before = visit.figure("Value at the starts")
    visit.button("only reaches half its range").click()
    expect(page.locator(".question")).to_contain_text("never torque ≤ \N{MINUS SIGN}1, torque ≥ 1")
    visit.certified()
    expect(page.locator(".figure-box", has_text="Value at the starts")).not_to_contain_text(before)
    upper = page.get_by_label("torque, upper limit, slider")
    upper.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".limits .reading")).to_contain_text("torque ≥ 0.8")
    price = page.get_by_label("Price of effort of torque")
    price.fill("0.5")
    price.press("Enter")
    expect(page.locator(".question")).to_contain_text("torque² costs 0.5")
    visit.certified()
    visit.colour_by("shift:0")
    expect(page.locator(".legend-title")).to_contain_text("planned torque, less that of")
    visit.colour_by("changed")
    expect(page.locator(".categories")).to_contain_text("another")


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
    expect(page.locator(".categories")).to_contain_text("another")
    visit.button("Show the difference in value").click()
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
    visit.colour_by("gap")
    worst = page.get_by_label("Worst case, exact")
    worst.fill("0.25")
    worst.press("Enter")
    expect(page.locator(".question")).to_contain_text("worst case 25 %")
    visit.certified()
    value = visit.figure("Value at the starts")
    expect(page).to_have_url(re.compile("worst_case=0.25"))
    page.reload()
    visit.ready()
    expect(page.locator(".question")).to_contain_text("worst case 25 %")
    expect(page.locator(".legend-title")).to_have_text("gap between the best two actions")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Take away")
    assert visit.figure("Value at the starts") == value
    visit.button("Undo").click()
    expect(page.locator(".question")).to_contain_text("The first question")
    visit.certified()
