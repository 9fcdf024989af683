"""Everyone can use it: axe-core, the keyboard, small windows and large letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = Path(__file__).parents[3] / "studio/node_modules/axe-core/axe.min.js"
SERIOUS = ("serious", "critical")
FOCUSABLE = "button, select, input, summary, a[href], [tabindex='0']"
ZOOMED = {"viewport": {"width": 640, "height": 360}, "device_scale_factor": 2}


def serious_issues(page):
    """Return what axe-core finds, as lines."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{issue['id']}: {node['html'][:120]}"
        for issue in found
        if issue["impact"] in SERIOUS
        for node in issue["nodes"]
    ]


@pytest.mark.parametrize(
    ("model", "scheme"), [("table", "light"), ("table", "dark"), ("pendulum", "light")]
)
def test_axe_finds_nothing_serious(enter, model, scheme):
    visit = enter(model, color_scheme=scheme)
    page = visit.page
    assert serious_issues(page) == []
    asked = "only reaches half" if model == "pendulum" else "one action in ten slips?"
    visit.button(asked).click()
    visit.certified()
    visit.button("Pin this plan").click()
    visit.choose_a_state()
    visit.button("Link and Python").click()
    assert serious_issues(page) == []
    for name, part in (
        ("Compare", ".compare .verdict"),
        ("Data", ".histogram"),
        ("Trust", ".statements"),
        ("Take away", ".keep"),
    ):
        visit.panel(name)
        page.wait_for_selector(part)
        assert serious_issues(page) == [], name


def test_the_keyboard_reaches_everything(enter):
    page = enter("table").page
    page.wait_for_selector(".welcome")
    wanted = page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].filter((element) =>
            !element.disabled && element.tabIndex >= 0 && element.checkVisibility()).length""",
        FOCUSABLE,
    )
    reached = set()
    page.evaluate("document.body.focus()")
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => [...document.querySelectorAll('*')].indexOf(document.activeElement)"""
            )
        )
    assert len(reached) >= wanted


def test_states_and_groups_by_keys_alone(enter):
    visit = enter("table")
    page = visit.page
    page.locator("#map").focus()
    for key in ("ArrowRight", "ArrowUp", "+", "+", "-", "0", "Enter"):
        page.keyboard.press(key)
    head = page.locator(".inspect .head h3")
    expect(head).to_contain_text("State")
    first = head.inner_text()
    page.keyboard.press(".")
    expect(head).not_to_have_text(first)
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.locator(".group h3")).to_contain_text("A group of")


@pytest.mark.parametrize("window", [{}, ZOOMED], ids=["1280x720", "200 %"])
def test_nothing_is_cut_off(enter, window):
    visit = enter("table", **window)
    page = visit.page
    wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1]
    visit.choose_a_state()
    for name in ("Compare", "Data", "Trust", "Take away", "Inspect"):
        visit.panel(name)
        panel = page.locator("#panel")
        sizes = panel.evaluate("panel => [panel.scrollWidth, panel.clientWidth]")
        assert sizes[0] <= sizes[1] + 1, name
    visit.button("cases turn out badly?").click()
    expect(page.locator(".question")).to_contain_text("worst case")
    visit.certified()
