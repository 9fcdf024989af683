"""A plan's promises beside the log: the same rewards, prices and horizon, and words of doubt."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.studio.conftest import Page
from tests.studio.worlds import slope

import deepaveragers as da
from deepaveragers.data.returns import returns_to_go
from deepaveragers.mdp.logged_returns import known_returns
from deepaveragers.studio import estimating, planning_watch
from deepaveragers.studio.columns import typeset
from deepaveragers.studio.question_messages import Question


def starts_of(data):
    return [episode.start for episode in data.episodes()]


def chain(cut=None, seed=0):
    """Return random walks from one end of a chain to the other, where a reward is."""
    random = np.random.default_rng(seed)
    rows = []
    for episode in range(60):
        place, steps, ended = 0, 0, False
        while not ended and steps != cut:
            action = int(random.integers(2))
            later = min(max(place + 2 * action - 1, 0), 8)
            ended, steps = later == 8, steps + 1
            rows.append((place, action, float(ended), later, ended, steps == cut, episode))
            place = later
    now, actions, rewards, later, ends, cuts, episodes = map(np.array, zip(*rows, strict=True))
    return da.Transitions(
        observations=now[:, None].astype(np.float32),
        actions=actions,
        rewards=rewards,
        next_observations=later[:, None].astype(np.float32),
        terminations=ends,
        truncations=cuts & ~ends,
        episode_ids=episodes,
    )


def far_apart(rows=300):
    """Return steps that are short against the distances between states."""
    random = np.random.default_rng(0)
    now = random.normal(size=(rows, 6)).astype(np.float32)
    return da.Transitions(
        observations=now,
        actions=random.integers(0, 2, rows),
        rewards=random.normal(size=rows),
        next_observations=now + np.float32(0.01),
        terminations=np.arange(rows) % 10 == 9,
        episode_ids=np.arange(rows) // 10,
    )


def test_the_log_pays_for_its_actions_too(page, mdp):
    data = mdp.transitions
    priced = replace(data, rewards=data.rewards - 0.5 * (data.actions == 1))
    told = page.ask({"penalties": {"1": 0.5}}).head["plan"]
    expected = returns_to_go(priced, 0.99)
    assert told["start_logged"] == pytest.approx(expected[starts_of(data)].mean())
    assert told["best_logged_return"] == pytest.approx(expected.max())
    behaviour = page.get("/api/trust", plan=told["id"])["behaviour"]
    assert behaviour["mean"] == pytest.approx(told["start_logged"])


def test_the_log_pays_for_the_squares_of_rows(tmp_path):
    page = Page(da.compile(slope()), tmp_path)
    data = page.session.data
    priced = replace(data, rewards=data.rewards - 0.2 * np.square(data.actions[:, 0].astype(float)))
    told = page.ask({"penalties": {"0": 0.2}}).head["plan"]
    expected = returns_to_go(priced, 0.99)[starts_of(data)]
    assert told["start_logged"] == pytest.approx(expected.mean())


def test_a_horizon_counts_as_many_steps_of_the_log(page, mdp):
    data = mdp.transitions
    # The value of a start is of one step and then the horizon.
    expected = np.mean(
        [
            (data.rewards[one][:4] * 0.99 ** np.arange(len(data.rewards[one][:4]))).sum()
            for one in data.episodes()
        ]
    )
    told = page.ask({"horizon": 3}).head["plan"]
    assert told["start_logged"] == pytest.approx(expected)
    trust = page.get("/api/trust", plan=told["id"])
    assert trust["behaviour"]["mean"] == pytest.approx(expected)
    assert trust["behaviour"]["steps"] == 4
    beside = next(one for one in trust["statements"] if one["title"] == "Beside what was done")
    assert "in its first 4 steps" in beside["text"]


def endless(length=20, episodes=10):
    """Return walks in a circle, cut off after some steps; every step earns 1."""
    steps = np.tile(np.arange(length), episodes)
    return da.Transitions(
        observations=(steps % 5)[:, None].astype(np.float32),
        actions=np.repeat(np.arange(episodes) % 2, length),
        rewards=np.ones(length * episodes),
        next_observations=((steps + 1) % 5)[:, None].astype(np.float32),
        terminations=np.zeros(length * episodes, bool),
        truncations=steps == length - 1,
        episode_ids=np.repeat(np.arange(episodes), length),
    )


@pytest.mark.parametrize("horizon", [1, 3, 10, 19])
def test_a_horizon_that_the_log_keeps_raises_no_doubt(tmp_path, horizon):
    told = Page(da.compile(endless()), tmp_path).ask({"horizon": horizon}).head["plan"]
    kept = (1.0 - 0.99 ** (horizon + 1)) / 0.01
    assert told["start_value"] == pytest.approx(kept)
    assert told["start_logged"] == pytest.approx(kept)
    assert told["best_logged_return"] == pytest.approx((1.0 - 0.99**horizon) / 0.01)
    assert told["warnings"] == []


@pytest.mark.parametrize("length", [2, 3, 4, 20])
def test_a_return_is_known_where_all_steps_of_the_horizon_are_logged(length):
    plan = da.compile(endless(length)).solve(gamma=0.99, horizon=3)
    left = np.tile(np.arange(length, 0, -1), 10)
    assert np.array_equal(known_returns(plan.mdp, plan.objective), left >= 3)
    assert np.array_equal(known_returns(plan.mdp, plan.objective, from_starts=True), left >= 4)


def test_endless_returns_are_known_where_little_lies_beyond_the_cut():
    plan = da.compile(endless(20)).solve(gamma=0.9)
    left = np.tile(np.arange(20, 0, -1), 10)
    assert np.array_equal(known_returns(plan.mdp, plan.objective), 0.9**left <= 0.05)
    plan = da.compile(chain()).solve(gamma=0.99)
    assert known_returns(plan.mdp, plan.objective).all()


@pytest.mark.filterwarnings("ignore::deepaveragers.DataWarning")
def test_long_jumps_are_said_at_once_and_in_trust(tmp_path, page):
    far = Page(da.compile(far_apart()), tmp_path)
    assert "times as far away as one step leads" in far.get("/api/opening")["plan"]["warnings"][0]
    titles = {one["title"] for one in far.get("/api/trust")["statements"]}
    assert "The plan leans on jumps" in titles
    assert page.get("/api/opening")["plan"]["warnings"] == []
    titles = {one["title"] for one in page.get("/api/trust")["statements"]}
    assert "The plan's jumps are short" in titles


def test_of_small_logs_nothing_is_said_about_jumps(tmp_path):
    few = Page(da.compile(far_apart(90)), tmp_path)
    warnings = few.get("/api/opening")["plan"]["warnings"]
    assert not any("as far away as one step" in warning for warning in warnings)
    titles = {one["title"] for one in few.get("/api/trust")["statements"]}
    assert not any("jumps" in title for title in titles)


def test_more_than_any_logged_start_earned(tmp_path):
    page = Page(da.compile(chain()), tmp_path)
    told = page.ask({"gamma": 0.8}).head["plan"]
    best = returns_to_go(page.session.data, 0.8)[starts_of(page.session.data)].max()
    assert told["start_value"] > best
    assert told["mean_value"] < told["best_logged_return"]
    (warning,) = told["warnings"]
    assert f"the best logged episode earned {best:.4g}" in warning
    assert "often not kept: see Trust" in warning


def test_episodes_that_were_cut_short_say_little_of_what_is_earned(tmp_path):
    data = chain(cut=9)
    page = Page(da.compile(replace(data, rewards=np.ones(len(data)))), tmp_path)
    told = page.ask({"gamma": 0.99}).head["plan"]
    best = returns_to_go(page.session.data, 0.99)[starts_of(page.session.data)].max()
    assert told["start_value"] > best
    assert told["mean_value"] > told["best_logged_return"]
    assert not any("often not kept" in warning for warning in told["warnings"])


def test_cases_say_whether_their_return_is_known(tmp_path, page, mdp):
    cut = Page(da.compile(endless()), tmp_path)
    for horizon, expected in ((1, True), (100, False)):
        plan = cut.ask({"horizon": horizon}).head["plan"]["id"]
        cases = cut.post("/api/inspect", plan=plan, state=2)["cases"]
        assert cases
        assert all(case["return_known"] is expected for case in cases)
    first = page.get("/api/opening")["plan"]["id"]
    plan = page.session.known(first).plan
    known = known_returns(plan.mdp, plan.objective)
    for case in page.post("/api/inspect", plan=first, state=17)["cases"]:
        assert case["return_known"] == known[case["state"]]


def test_what_is_promised_and_what_is_unknown_are_told_apart(page):
    told = page.get("/api/trust")
    kinds = {one["title"]: one["kind"] for one in told["statements"]}
    assert kinds["Beside what was done"] == "promised"
    assert kinds["The plan is the best of the model"] == "proved"
    vacuous = told["guarantee"]["vacuous"]
    assert kinds["What the policy earns in the world"] == ("unknown" if vacuous else "estimated")
    assert told["behaviour"]["level"] == 0.95
    horizon = page.ask({"horizon": 3}).head["plan"]["id"]
    found = page.get("/api/trust", plan=horizon)["statements"]
    kinds = {one["title"]: one["kind"] for one in found}
    assert kinds["What the policy earns in the world"] == "unknown"


def test_a_plan_that_was_stopped_is_not_called_the_best(page):
    kept = page.session.plan(Question(gamma=0.9973), seconds=0.0)
    assert not kept.plan.converged
    titles = [one["title"] for one in page.get("/api/trust", plan=kept.summary.id)["statements"]]
    assert titles[0] == "The plan is not finished"
    assert "The plan is the best of the model" not in titles


def test_an_estimate_counts_the_prices(page, mdp, monkeypatch):
    given = {}

    def fit(data, candidates, **more):
        given.update(data=data, candidate=candidates[0])
        raise da.InputError("x", "y", "z")

    monkeypatch.setattr(estimating, "fit", fit)
    kept = page.session.known(page.ask({"penalties": {"2": 0.3}}).head["plan"]["id"])
    with pytest.raises(da.InputError):
        estimating.estimated(page.session, kept.plan)
    objective = given["candidate"].objective
    assert objective.action_penalties is None
    own = da.compile(given["data"], k=4).solve(objective)
    assert np.abs(own.values - kept.plan.values).max() <= own.error + kept.plan.error


def test_words_of_an_estimate_are_about_the_plan():
    found = SimpleNamespace(
        heard=("fitted Q",), shown=False, more="", figures="-3 instead of -2 (difference -1).",
        behaviour=SimpleNamespace(value=-2.0),
    )  # fmt: skip
    assert estimating.answer_of(found).startswith("This plan is not shown to be better")
    found.shown = True
    assert estimating.answer_of(found).startswith("A plan made like this earns more")
    found.heard = ()
    assert estimating.answer_of(found).startswith("Nothing can be said about this plan")
    assert typeset("-3, 1e-05 of 9% in a-1") == "\N{MINUS SIGN}3, 1e-05 of 9 % in a-1"
    assert estimating._notes(da.Objective(horizon=50)) == [
        "The judges count whole episodes, not 50 steps."
    ]


def test_compiling_kernels_is_not_planning(page, monkeypatch):
    @contextmanager
    def clock():
        yield lambda: 1e9

    monkeypatch.setattr(planning_watch, "compile_clock", clock)
    told = page.ask({"gamma": 0.97}).head["plan"]
    assert told["milliseconds"] == 0.0
    assert told["prepared"] > 0.0


def test_bounds_below_and_above_are_their_own(page):
    plan = page.session.known(page.get("/api/opening")["plan"]["id"]).plan
    told = page.post("/api/inspect", plan=page.get("/api/opening")["plan"]["id"], state=17)
    assert (told["below"], told["above"]) == (plan.below, plan.above)
    assert all(one["below"] == plan.below for one in told["actions"])
    assert all(one["above"] == plan.above for one in told["actions"])


def test_cases_earn_what_the_question_counts(page, mdp):
    question = {"gamma": 0.9, "penalties": {"0": 0.1}}
    plan = page.ask(question).head["plan"]["id"]
    data = mdp.transitions
    priced = replace(data, rewards=data.rewards - 0.1 * (data.actions == 0))
    expected = returns_to_go(priced, 0.9)
    cases = page.post("/api/inspect", plan=plan, state=17)["cases"]
    assert cases
    for case in cases:
        assert case["return_after"] == pytest.approx(expected[case["state"]])
