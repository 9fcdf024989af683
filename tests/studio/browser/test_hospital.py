"""What a practitioner reads of a hospital's table: outcomes, units, shares, states at one place."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.data.hospital import IMPORT, patients, write_csv

import deepaveragers as da

UNITS = {"lactate": "mmol/l", "pressure": "mmHg"}


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    """A small one, with a pressure in whole numbers: states then share their places."""
    columns = patients(80)
    columns["pressure"] = [round(one) for one in columns["pressure"]]
    columns["lactate"] = [None if one is None else round(one) for one in columns["lactate"]]
    table = write_csv(tmp_path_factory.mktemp("hospital") / "patients.csv", columns)
    data = da.read(table, **IMPORT, units=UNITS)
    return da.compile(data, k=3)


def test_cases_say_with_what_they_ended(enter, hospital):
    visit = enter("hospital", hospital)
    page = visit.page
    visit.choose_a_state()
    visit.page.wait_for_selector(".cases tbody tr")
    for _ in range(40):
        if page.locator(".cases .outcome").count():
            break
        page.keyboard.press(".")
        page.wait_for_timeout(200)
    outcomes = set(page.locator(".cases .outcome").all_inner_texts())
    assert len(outcomes) > 1
    assert outcomes <= {"with 1", "with \N{MINUS SIGN}1", "with 0"}
    expect(page.locator(".cases .help").first).to_contain_text("with its last logged reward")


def test_a_group_has_units_and_shares(enter, hospital):
    visit = enter("hospital", hospital)
    visit.button("In view").click()
    rows = visit.page.locator(".group table").last.locator("tbody tr")
    expect(rows.filter(has_text="lactate mmol/l")).to_have_count(1)
    expect(rows.filter(has_text="sex=F")).to_contain_text("%")


def test_the_state_on_top_is_the_one_under_the_pointer(enter, hospital):
    """A point's colour and the words beside it are of one state; others of the place are told."""
    data = hospital.transitions
    across, up = (data.observation_names.index(name) for name in UNITS)
    visit = enter("hospital", hospital, fragment=f"#x=c{across}&y=c{up}&by=action")
    page, places = visit.page, data.next_observations[:, [across, up]]
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.locator(".tip")
    for shift in range(0, 200, 7):
        if tip.count():
            break
        page.mouse.move(
            box["x"] + box["width"] / 2 + shift, box["y"] + box["height"] / 2 + shift / 3
        )
        page.wait_for_timeout(100)
    state = int(tip.locator("b, strong").first.inner_text().split()[-1].replace(",", ""))
    alike = (places == places[state]).all(axis=1).nonzero()[0]
    assert state == alike[-1]
    assert len(alike) > 1
    expect(tip).to_contain_text(f"{len(alike)} states")


def test_two_pins_that_are_not_shown_are_not_drawn(enter):
    visit = enter("table")
    page = visit.page
    for number, name in enumerate(("we only look", "one action in ten")):
        page.locator(".suggestions button", has_text=name).click()
        expect(page.locator(".question")).not_to_contain_text("The first question")
        visit.certified()
        page.get_by_label("Name of the pin").fill(f"pin {number}")
        visit.button("Pin this plan").click()
        expect(page.locator(".pins li")).to_have_count(number + 1)
    visit.panel("Compare")
    expect(visit.button("Show where on the map")).to_be_visible()
    visit.button("Back to the first question").click()
    visit.certified()
    for number in range(2):
        page.locator(".side select").nth(number).select_option(label=f"pin {number}")
    expect(page.locator(".compare")).to_contain_text("click its name under Pinned plans")
    expect(visit.button("Show where on the map")).to_have_count(0)
    page.locator(".pins .name", has_text="pin 0").click()
    visit.button("Show where on the map").click()
    expect(page.locator(".categories")).to_contain_text("another")


def test_a_forbidden_action_has_no_gain(enter):
    visit = enter("table")
    page = visit.page
    page.locator(".suggestions button", has_text="is impossible").click()
    expect(page.locator(".question")).to_contain_text("never")
    visit.certified()
    visit.panel("Compare")
    expect(page.locator(".compare")).to_contain_text("the left one's is not available there")
