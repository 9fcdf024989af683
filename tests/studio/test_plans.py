"""Plans as the page gets them are the library's own."""

from __future__ import annotations

import io
import math
from contextlib import redirect_stdout
from dataclasses import replace

import numpy as np
import pytest
from tests.studio.conftest import Page
from tests.studio.worlds import corridor

import deepaveragers as da
from deepaveragers.data.returns import returns_to_go
from deepaveragers.studio import session
from deepaveragers.studio.planning_watch import PLAN_SECONDS, solve_within
from deepaveragers.studio.question_messages import Question


def test_model(page, mdp):
    model = page.get("/api/model")
    assert (model["states"], model["k"], model["kind"]) == (len(mdp), 4, "vector")
    assert [one["name"] for one in model["columns"]] == ["place", "speed", "lamp"]
    assert [one["kind"] for one in model["columns"]] == ["number", "number", "flag"]
    assert model["columns"][0]["unit"] == "m"
    last = [episode.stop - 1 for episode in mdp.transitions.episodes()]
    assert model["cut_share"] == pytest.approx(1 - mdp.transitions.terminations[last].mean())
    counts = np.bincount(mdp.transitions.actions).tolist()
    assert [one["count"] for one in model["actions"]] == counts
    plan, told = mdp.solve(), page.get("/api/opening")["plan"]
    assert told["error"] == pytest.approx(plan.error)
    assert told["mean_value"] == pytest.approx(plan.values.mean(), abs=2 * plan.error)
    assert told["best_logged_return"] == pytest.approx(plan.best_logged_return)
    earned = returns_to_go(mdp.transitions, 0.99)[[e.start for e in mdp.transitions.episodes()]]
    assert told["start_logged"] == pytest.approx(earned.mean())
    assert sum(told["action_shares"]) == pytest.approx(1.0)
    assert model["question"]["gamma"] == 0.99


def test_a_map_of_few_states_has_columns_as_axes(tmp_path):
    page = Page(da.compile(corridor(rows=10), k=2), tmp_path)
    assert len(page.session.mdp) < 40
    assert sorted(page.get("/api/opening")["axes"]) == ["c0", "c1"]


def test_a_log_of_single_steps_is_told_apart(mdp, tmp_path):
    data = mdp.transitions
    ends = np.ones(len(data), dtype=bool)
    single = replace(
        data,
        terminations=ends,
        truncations=~ends,
        episode_ids=np.arange(len(data)),
        episode_names=None,
        times=None,
    )
    told = Page(da.compile(single, k=3), tmp_path).get("/api/opening")["plan"]
    assert "nothing is decided" in told["warnings"][0]
    assert told["start_value"] is not None


def test_axes(page, mdp, floats):
    axes = page.get("/api/axes")
    assert [one["id"] for one in axes] == ["c0", "c1", "c2", "p0", "p1", "p2"]
    assert axes[0]["label"] == "place [m]"
    assert sum(one["explained"] for one in axes[3:]) == pytest.approx(1.0)
    for place in range(3):
        found = floats(page.get(f"/api/axes/c{place}").payload)
        assert np.array_equal(found, mdp.transitions.next_observations[:, place])
    first, second = (floats(page.get(f"/api/axes/p{n}").payload) for n in (0, 1))
    assert first.var() > second.var()
    assert abs(np.corrcoef(first, second)[0, 1]) < 1e-3
    for wrong in ("c3", "p9", "x", "c-1", "c0x"):
        page.get(f"/api/axes/{wrong}", status=422)


def test_colouring_of_a_question(page, mdp, colours):
    before = page.get("/api/opening")["plan"]["id"]
    asked = {"gamma": 0.8, "forbidden": [2], "penalties": {"0": 0.02}, "slip": 0.1}
    answer = page.ask(asked, against=before, colouring="action")
    plan = mdp.solve(gamma=0.8, forbidden_actions=["on"], action_penalties={"back": 0.02}, slip=0.1)
    living = ~mdp.transitions.terminations
    expected = np.where(living, plan.q_values.argmax(axis=1), 255)
    assert np.array_equal(colours(answer.payload), expected)
    told = answer.head["plan"]
    first = mdp.solve()
    changed = plan.q_values.argmax(axis=1) != first.q_values.argmax(axis=1)
    assert told["changed_share"] == pytest.approx(changed[living].mean())
    assert told["cost"] == pytest.approx(plan.objective.cost)
    assert page.get(f"/api/plans/{told['id']}")["mean_value"] == told["mean_value"]
    legend = answer.head["legend"]
    assert [one["name"] for one in legend["categories"]] == list(mdp.transitions.action_names)
    assert [one["count"] for one in legend["categories"]] == [
        int((expected == action).sum()) for action in range(3)
    ]


def test_values_are_scaled_between_the_ends(page, mdp, colours):
    model = page.get("/api/opening")
    answer = page.get(f"/api/plans/{model['plan']['id']}/colouring", by="value")
    low, high = answer.head["low"], answer.head["high"]
    plan, ended = mdp.solve(), mdp.transitions.terminations
    values, codes = plan.values[~ended], colours(answer.payload)
    assert (low, high) == pytest.approx(np.quantile(values, (0.02, 0.98)), abs=plan.error)
    shown = low + codes[~ended] / 254 * (high - low)
    assert np.abs(shown - np.clip(values, low, high)).max() <= (high - low) / 254
    assert (codes[ended] == 255).all()
    told = {"index": 255, "name": "episode ended", "count": int(ended.sum())}
    assert answer.head["absent"] == told


def test_every_colouring_has_a_byte_per_state(page, mdp, colours):
    first = page.get("/api/opening")["plan"]["id"]
    other = page.ask({"gamma": 0.9}).head["plan"]["id"]
    for by in ("value", "action", "logged", "support", "reward", "gap", "difference", "changed"):
        answer = page.get(f"/api/plans/{first}/colouring", by=by, other=other)
        assert answer.head["by"] == by
        assert len(colours(answer.payload)) == len(mdp)
    page.get(f"/api/plans/{first}/colouring", status=422, by="difference")
    page.get(f"/api/plans/{first}/colouring", status=422, by="__class__")
    page.get("/api/plans/nothing/colouring", status=404, by="value")


def test_rewards_of_terms(page, mdp):
    data = mdp.transitions
    reward = {
        "keep_logged": True,
        "terms": [
            {"weight": -2.0, "of": "change", "column": "speed"},
            {
                "weight": 0.5,
                "of": "constant",
                "when": {"column": "place", "op": ">", "value": 0.5},
            },
            {"weight": 0.1, "of": "logged"},
            {
                "weight": -3.0,
                "of": "constant",
                "when": {"column": "speed", "op": ">", "value": 0.0},
                "action": 2,
            },
        ],
    }
    told = page.ask({"reward": reward}).head["plan"]
    rewards = 1.1 * data.rewards + 0.5 * (data.observations[:, 0] > 0.5)
    change = data.next_observations[:, 1].astype(float) - data.observations[:, 1].astype(float)
    dear = (data.observations[:, 1] > 0.0) & (data.actions == 2)
    plan = mdp.solve(rewards=rewards - 2.0 * change - 3.0 * dear)
    assert told["mean_value"] == pytest.approx(plan.values.mean(), abs=2 * plan.error)
    for status, wrong in (
        (422, {"terms": [{"weight": 1, "of": "next", "column": "__import__('os')"}]}),
        (400, {"terms": [{"weight": 1, "of": "eval"}]}),
        (400, {"terms": [{"weight": 1e999, "of": "logged"}]}),
        (400, {"terms": [{"weight": 1, "of": "logged", "code": "1"}]}),
        (422, {"terms": [{"weight": 1, "of": "logged"}] * 33}),
        (422, {"terms": [{"weight": 1, "of": "logged", "action": 3}]}),
    ):
        page.post("/api/plans", status=status, question={"reward": wrong}, tab="b", sequence=1)


def test_snippets_ask_the_same(mdp, tmp_path):
    from tests.studio.conftest import Page

    plan = mdp.solve(gamma=0.9, rewards=mdp.transitions.rewards * 2)
    for thing in (mdp.transitions, mdp, plan):
        path = str(tmp_path / type(thing).__name__)
        da.save(thing, path)
        page = Page(da.load(path), tmp_path, path)
        term = {
            "weight": 0.3,
            "of": "next",
            "column": "place",
            "when": {"column": "speed", "op": "<=", "value": 0.02},
            "action": 2,
        }
        asked = {"gamma": 0.7, "k": 2, "forbidden": [1], "penalties": {"2": 0.1}, "slip": 0.1}
        for question in (asked, {**asked, "reward": {"terms": [term], "keep_logged": False}}):
            told = page.ask(question).head["plan"]
            names = {}
            with redirect_stdout(io.StringIO()) as printed:
                exec(told["python"], names)
            assert float(printed.getvalue()) == pytest.approx(
                told["start_value"], abs=2 * told["error"]
            )
            asking = told["python"].partition("plan = ")[2].splitlines()
            assert asking[0] == "mdp.solve(" or len(asking[0]) <= 88
            assert names["plan"].values.mean() == pytest.approx(
                told["mean_value"], abs=2 * told["error"]
            )


def test_the_value_at_the_starts(page):
    told = page.ask({"gamma": 0.9}).head["plan"]
    assert page.session.known(told["id"]).plan.start_value() == pytest.approx(told["start_value"])


def test_one_id_per_question(page):
    one = page.ask({"forbidden": [2, 0], "penalties": {"1": 0.0}}).head["plan"]
    two = page.ask({"forbidden": [0, 2], "gamma": 0.99}).head["plan"]
    assert one["id"] == two["id"] != page.ask({"forbidden": [0]}).head["plan"]["id"]


@pytest.mark.parametrize(
    ("status", "question"),
    [
        *((422, question) for question in ({"gamma": 1.5}, {"k": 9}, {"forbidden": [0, 1, 2]},
                                           {"forbidden": [7]}, {"cost": -1}, {"horizon": 0})),
        *((400, question) for question in ({"gama": 0.9}, {"penalties": {"x": 1}}, [], "x")),
    ],
)  # fmt: skip
def test_wrong_questions_are_refused_in_a_sentence(page, status, question):
    told = page.post("/api/plans", status=status, question=question, tab="a", sequence=1)
    assert set(told) == {"error"}
    assert len(told["error"].splitlines()) == 1


def test_a_loaded_plan_is_the_first(mdp, tmp_path):
    from tests.studio.conftest import Page

    mask = np.ones((len(mdp), 3), dtype=bool)
    mask[::2, 0] = False
    plan = mdp.solve(gamma=0.9, cost=0.3, action_mask=mask, penalty="adaptive")
    page = Page(plan, tmp_path)
    model = page.get("/api/model")
    assert (model["question"]["gamma"], model["question"]["cost"]) == (0.9, 0.3)
    assert page.get("/api/opening")["plan"]["mean_value"] == plan.values.mean()
    told = page.ask({"gamma": 0.8, "cost": 0.3}).head["plan"]
    expected = mdp.solve(gamma=0.8, cost=0.3, action_mask=mask, penalty="adaptive")
    assert told["mean_value"] == pytest.approx(expected.values.mean(), abs=2 * expected.error)


def test_a_plan_that_was_stopped_goes_on_when_asked_again(mdp, tmp_path):
    page = Page(mdp, tmp_path)
    first = page.get("/api/opening")["plan"]["id"]
    stopped = page.session.plan(Question(gamma=0.997), seconds=0.0)
    name = stopped.summary.id
    assert not stopped.plan.converged
    assert page.get(f"/api/plans/{name}")["status"] == "interrupted"
    before = page.get("/api/compare", left=first, right=name)
    told = page.ask({"gamma": 0.997}).head["plan"]
    assert (told["id"], told["status"]) == (name, "optimal")
    assert told["error"] < stopped.plan.error
    assert page.get("/api/compare", left=first, right=name) != before
    kept = page.session.known(name)
    page.ask({"gamma": 0.997})
    assert page.session.known(name) is kept


@pytest.mark.parametrize("loaded", [False, True])
def test_the_first_question_has_no_limit_of_time(mdp, tmp_path, monkeypatch, loaded):
    limits = []

    def solve(seconds, *about, **more):
        limits.append(seconds)
        return solve_within(seconds, *about, **more)

    monkeypatch.setattr(session, "solve_within", solve)
    plan = mdp.solve(gamma=0.9) if loaded else None
    page = Page(plan or mdp, tmp_path)
    first = page.get("/api/opening")["plan"]["id"]
    other = page.ask({"gamma": 0.95}).head["plan"]["id"]
    page.session.plans._plans.clear()
    assert page.session.known(first).plan.objective.gamma == (0.9 if loaded else 0.99)
    assert page.session.known(other).summary.id == other
    limited = [PLAN_SECONDS, PLAN_SECONDS]
    assert limits == (limited if loaded else [math.inf, PLAN_SECONDS, math.inf, PLAN_SECONDS])
