"""What fields, names and pictures say."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

INK = 120
"""Letters are darker than this."""


def picture(visit):
    with visit.page.expect_download() as got:
        visit.button("Download PNG").click()
    content = Path(got.value.path()).read_bytes()
    return np.asarray(Image.open(BytesIO(content)).convert("RGB")).astype(int)


def test_a_picture_has_axes_ticks_and_a_legend(enter):
    visit = enter("cartpole", fragment="#by=action")
    visit.panel("Take away")
    pixels = picture(visit)
    assert pixels.shape == (1000, 1600, 3)
    dark = (pixels.max(axis=2) < INK) & (np.ptp(pixels, axis=2) < 40)
    assert dark[:, 24:58].any()  # the name of the upright axis
    assert dark[:, 60:100].any()  # its ticks
    assert dark[-60:].any()  # the legend
    blue = (pixels == (0, 114, 178)).all(axis=2)
    assert blue[-60:].any()
    visit.page.locator(".category").first.click()
    hidden = (picture(visit) == (0, 114, 178)).all(axis=2)
    assert blue.any()
    assert not hidden.any()


def test_the_automatic_price_is_shown_and_taken_over(enter):
    visit = enter("table")
    page = visit.page
    page.get_by_text("How cases are averaged", exact=True).click()
    automatic = page.get_by_label("Price of distance (cost): automatic")
    label = page.locator(".check", has=automatic)
    expect(label).to_have_text(re.compile(r"automatic \([\d.,]+\)"))
    value = visit.figure("Value at the starts")
    automatic.uncheck()
    expect(page.locator(".question")).to_contain_text("cost")
    visit.certified()
    assert visit.figure("Action changed") == "0.0 %"
    assert visit.figure("Value at the starts") == value


def test_a_discount_of_one_is_refused_aloud(enter):
    visit = enter("table")
    page = visit.page
    exact = page.get_by_label("Discount (gamma), exact")
    exact.fill("1")
    exact.press("Enter")
    expect(exact).to_have_value("0.9999")
    expect(page.locator(".questions .warning")).to_contain_text("must be below 1")
    visit.certified()
    exact.fill("1")
    exact.press("Enter")
    expect(exact).to_have_value("0.9999")
    exact.fill("0.9")
    exact.press("Enter")
    expect(page.locator(".questions .warning")).to_have_count(0)
    visit.certified()


def test_a_condition_shows_the_whole_name_of_its_column(enter):
    visit = enter("table")
    page = visit.page
    page.get_by_text("Another reward", exact=True).click()
    visit.button("Add a term").click()
    page.get_by_label("only where").check()
    visit.certified()
    column = page.get_by_label("Condition's column").bounding_box()
    number = page.get_by_label("Condition's number").bounding_box()
    term = page.locator(".term").bounding_box()
    assert column["width"] > 0.85 * term["width"]
    assert number["y"] >= column["y"] + column["height"]


def test_a_bare_number_is_said_to_be_a_time(enter):
    visit = enter("table")
    visit.choose_a_state()
    expect(visit.page.locator(".where")).to_have_text(re.compile(r"(after )?time \d"))
    expect(visit.page.locator(".cases .time").first).to_have_text(re.compile(r"^time \d+$"))


@pytest.mark.parametrize("panel", ["trust", "inspect"])
def test_the_end_of_an_estimate_is_told_where_it_is_not_seen(browser, studio, panel):
    where = studio("table")
    page = browser.new_context().new_page()
    heard = json.dumps({"type": "job", "job": "job-1", "state": "done"})
    page.route(
        "**/api/events*",
        lambda route: route.fulfill(content_type="text/event-stream", body=f"data: {heard}\n\n"),
    )
    with page.expect_response("**/api/events*"):
        page.goto(f"{where.entrance}#panel={panel}")
    page.wait_for_selector(".status.certified")
    if panel == "trust":
        page.wait_for_selector(".statements")
    expect(page.locator(".told")).to_have_count(0 if panel == "trust" else 1)
    page.context.close()


def test_a_name_that_is_taken_is_said_and_another_proposed(browser, studio):
    where = studio("table")
    page = browser.new_context().new_page()
    (where.output / "plan").write_text("mine")
    page.goto(where.entrance)
    page.get_by_role("tab", name="Take away").click()
    page.get_by_role("button", name="Save plan").click()
    expect(page.locator(".told.error")).to_contain_text("There is already a file named plan.")
    expect(page.get_by_label("File name of the plan")).to_have_value("plan-2")
    page.get_by_role("button", name="Save plan").click()
    expect(page.locator(".told.done")).to_have_text(re.compile("Saved plan-2."))
    page.context.close()
