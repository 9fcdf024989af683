"""The CartPole page says what the results say, and its rules judge as they read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from experiments.cartpole.claims import CLAIMS, claims_table
from experiments.cartpole.grid import settings
from experiments.cartpole.page import PAGE, study_parts
from experiments.cartpole.results import Row, read
from experiments.cartpole.summary import Summary
from experiments.page import fill

from experiments.cartpole import results


@pytest.fixture(scope="module")
def rows():
    return read(Path(results.__file__).with_name("results.csv"))


def test_the_page_is_what_the_results_make_of_it(rows):
    parts = study_parts(Summary(rows))
    page = PAGE.read_text()
    assert fill(page, parts) == page, "run: python -m experiments.cartpole --report"


def test_every_result_is_of_one_planner_and_one_agent(rows):
    assert len({row.key for row in rows}) == len(rows)
    assert max(row.certified_error for row in rows) < 1e-3
    assert all(re.fullmatch("[0-9a-f]{7,}", row.commit) for row in rows)


def test_a_page_without_markers_is_refused():
    with pytest.raises(ValueError, match="begin results"):
        fill("no markers", {"results": "| a |"})


def row_of(setting, seed, earned):
    about = ("mixed", 10_000, "identity", seed)
    return Row(
        *about,
        **vars(setting),
        epsilon=0.0,
        episodes=30,
        mean_return=earned,
        deviation=1.0,
        certified_error=0.0,
        behaviour=0.0,
        seconds=0.0,
        command="",
        commit="",
        hardware="",
    )


def test_a_claim_is_judged_seed_by_seed():
    flat = [row_of(setting, seed, 400.0) for seed in (0, 1) for setting in settings(quick=False)]
    one_fails = [
        replace(row, mean_return=20.0) if row.cost == 0.0 and row.seed == 1 else row for row in flat
    ]
    line = next(
        line
        for line in claims_table(Summary(one_fails), "identity").splitlines()
        if "C = 0" in line
    )
    assert line.endswith("| mixed 10k | C=0 210, C=1 400 | 1 of 2 |")
    assert len(claims_table(Summary(flat), "identity").splitlines()) > len(CLAIMS) - 5


def test_an_interval_is_over_seeds():
    setting = settings(quick=False)[0]
    summary = Summary([row_of(setting, seed, 100.0 * seed) for seed in (1, 2, 3)])
    mean, width, count = summary.point("mixed", 10_000, "identity", 0.0, setting)
    assert (mean, count) == (200.0, 3)
    assert width == pytest.approx(4.303 * 100.0 / 3**0.5, rel=1e-3)
