"""Where actions are rows, the page gets the library's own candidates, plans and comparisons."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.studio.conftest import Page
from tests.studio.worlds import slope

import deepaveragers as da
from deepaveragers.solvers.planned_actions import planned_actions

LIMITS = {"push": [(0.5, None)], "brake": [(0.2, 0.8)]}
RANGES = [{"column": 0, "low": 0.5, "high": None}, {"column": 1, "low": 0.2, "high": 0.8}]


@pytest.fixture(scope="module")
def mdp():
    return da.compile(slope(), k=3, candidates=8)


@pytest.fixture
def page(mdp, tmp_path):
    return Page(mdp, tmp_path, "slope")


@pytest.fixture
def asked(page):
    """A question about limits and effort, and the library's own plan."""
    told = page.ask({"gamma": 0.9, "ranges": RANGES, "penalties": {"0": 0.1}}).head["plan"]
    return told, page.session.known(told["id"]).plan


def numbers(plan, column):
    data = plan.mdp.transitions
    found = data.actions[planned_actions(plan), column].astype(float)
    return np.where(data.terminations, np.nan, found)


def test_the_model_has_columns_instead_of_actions(page):
    model = page.get("/api/model")
    assert model["actions"] == []
    assert model["candidates"] == 8
    assert [(one["name"], one["low"], one["high"]) for one in model["action_columns"]] == [
        ("push", -2.0, 2.0),
        ("brake", 0.0, 1.0),
    ]


def test_noise_of_a_loaded_plan_is_kept(mdp, tmp_path):
    page = Page(mdp.solve(gamma=0.9, action_noise=0.3), tmp_path, "plan")
    model = page.get("/api/model")
    assert (model["kept"], model["action_noise"]) == (["action noise 0.3"], 0.3)
    told = page.ask({"gamma": 0.8}).head["plan"]
    plan = page.session.known(told["id"]).plan
    own = mdp.solve(gamma=0.8, action_noise=0.3)
    assert np.abs(plan.values - own.values).max() <= plan.error + own.error


def test_a_question_about_rows_is_the_librarys(asked, mdp, page):
    told, plan = asked
    own = mdp.solve(gamma=0.9, forbidden_actions=LIMITS, action_penalties={"push": 0.1})
    assert np.abs(plan.values - own.values).max() <= plan.error + own.error
    assert np.nanmax(numbers(plan, 0)) < 0.5
    brake = numbers(plan, 1)
    assert not ((brake >= 0.2) & (brake <= 0.8)).any()
    spread = told["action_spreads"][0]
    assert spread["mean"] == pytest.approx(np.nanmean(numbers(plan, 0)))
    assert told["action_shares"] == []
    # The page's own order of ranges does not make another question.
    again = page.ask({"gamma": 0.9, "ranges": RANGES[::-1], "penalties": {"0": 0.1, "1": 0.0}})
    assert again.head["plan"]["id"] == told["id"]


def test_changes_are_counted_by_the_range_of_columns(asked, mdp, page):
    _, plan = asked
    first = page.get("/api/opening")["plan"]["id"]
    told = page.ask({"gamma": 0.9, "ranges": RANGES, "penalties": {"0": 0.1}}, against=first).head[
        "plan"
    ]
    other = page.session.known(first).plan
    apart = [
        np.abs(numbers(plan, n) - numbers(other, n)) > share
        for n, share in ((0, 0.05 * 4.0), (1, 0.05 * 1.0))
    ]
    living = ~mdp.transitions.terminations
    assert told["changed_share"] == pytest.approx((apart[0] | apart[1])[living].mean())


def test_lines_of_python_ask_the_same(asked, mdp, page, tmp_path, monkeypatch):
    told, plan = asked
    monkeypatch.chdir(tmp_path)
    da.save(mdp, "slope")
    scope = {}
    exec(told["python"], scope)
    assert np.array_equal(scope["plan"].values, plan.values)
    assert told["query"] == "gamma=0.9&ranges=0%3A0.5%3A%2C1%3A0.2%3A0.8&penalty=0%3A0.1"


def test_colourings(asked, mdp, page, colours):
    told, plan = asked
    first = page.get("/api/opening")["plan"]["id"]
    where = f"/api/plans/{told['id']}/colouring"
    answer = page.get(where, by="action:0")
    assert (answer.head["low"], answer.head["high"]) == (-2.0, 2.0)
    assert answer.head["label"] == "planned push"
    codes, ended = colours(answer.payload), mdp.transitions.terminations
    shown = -2.0 + codes[~ended] / 254 * 4.0
    assert np.abs(shown - numbers(plan, 0)[~ended]).max() <= 4.0 / 254
    assert (codes[ended] == 255).all()
    distances = page.get(where, by="support").head
    graph, best = plan.mdp.graph, plan.q_values.argmax(axis=1)
    gaps = graph.gaps[np.arange(len(best)), best][~ended]
    assert distances["high"] >= np.quantile(gaps, 0.5)
    for by in ("value", "action:1", "logged:0", "logged:1", "reward", "gap"):
        assert len(page.get(where, by=by).payload) == len(mdp)
    for by in ("difference", "changed", "shift:0", "shift:1"):
        assert len(page.get(where, by=by, other=first).payload) == len(mdp)
    shift = page.get(where, by="shift:0", other=first)
    moved = numbers(plan, 0) - numbers(page.session.known(first).plan, 0)
    codes = colours(shift.payload)
    assert (codes[moved > 0.5] > 127).all()
    assert (codes[moved < -0.5] < 127).all()
    for wrong in ("action", "logged", "action:2", "action:-1", "shift:x"):
        page.get(where, status=422, by=wrong, other=first)


def test_a_state_shows_its_candidates(asked, page):
    told, plan = asked
    data = plan.mdp.transitions
    for state in np.flatnonzero(~data.terminations)[::173].tolist():
        seen = page.post("/api/inspect", plan=told["id"], state=state)
        q_values = plan.q_values[state]
        available = np.sort(q_values[np.isfinite(q_values)])[::-1]
        assert [one["q"] for one in seen["actions"] if one["available"]] == available.tolist()
        assert seen["value"] == plan.values[state]
        best = seen["actions"][0]
        assert best["best"]
        push, brake = data.actions[planned_actions(plan)[state]]
        words = f"push {push:.3g}, brake {brake:.3g}"
        assert best["name"] == words.replace(" -", " \N{MINUS SIGN}")
        assert seen["cases"][0]["done"] == best["name"]
        assert len({one["state"] for one in seen["cases"]}) == len(seen["cases"])
    typed = page.post("/api/inspect", plan=told["id"], observation=[0.3, 0.01])
    q_values = plan.policy().q_values([0.3, 0.01])[0]
    assert typed["value"] == pytest.approx(q_values.max())
    ended = int(np.flatnonzero(data.terminations)[0])
    assert page.post("/api/inspect", plan=told["id"], state=ended)["actions"] == []
    far = page.post("/api/inspect", plan=told["id"], observation=[50.0, 9.0])
    assert far["support"]["level"] == "none"


def test_futures_and_groups(asked, page):
    told, plan = asked
    data = plan.mdp.transitions
    state = int(np.flatnonzero(~data.terminations)[7])
    future = page.post("/api/imagine", plan=told["id"], state=state, steps=5)
    path = plan.policy().imagine(data.next_observations[state], 5)
    assert [one["state"] for one in future["steps"]] == [one.transition for one in path]
    assert future["steps"][0]["done"].startswith("push ")
    members = np.flatnonzero(data.next_observations[:, 0] > 0.5)
    group = page.post("/api/inspect/group", plan=told["id"], states=members.tolist())
    assert group["actions"] == []
    push = group["action_columns"][0]
    assert push["planned"]["mean"] == pytest.approx(np.nanmean(numbers(plan, 0)[members]))
    follows = [
        s + 1 for s in members
        if not data.terminations[s] and not data.truncations[s] and s + 1 < len(data)
        and data.episode_ids[s] == data.episode_ids[s + 1]
    ]  # fmt: skip
    assert push["logged"]["mean"] == pytest.approx(data.actions[follows, 0].mean())


def test_comparing(asked, page):
    told, plan = asked
    opening = page.get("/api/opening")["plan"]
    found = page.get("/api/compare", left=opening["id"], right=told["id"])
    own = page.session.known(opening["id"]).plan.compare(plan)
    assert found["changed_share"] == pytest.approx(own.share)
    assert found["changes"] == []
    assert [one["lower"] for one in found["shifts"]] == [one.lower for one in own.shifts]
    assert found["loss"]["left_under_right"]["lost"] == pytest.approx(own.second_loss.lost)
    assert all("by" in group["mostly"] for group in found["groups"])


def test_data_and_trust(asked, page, mdp):
    told, _ = asked
    found = page.get("/api/data", plan=told["id"])
    assert found["actions"] == []
    push = found["action_columns"][0]
    assert sum(push["logged"]) == len(mdp)
    assert sum(push["planned"]) == (~mdp.transitions.terminations).sum()
    edges = np.array(push["edges"])
    assert not any(np.array(push["planned"])[edges[:-1] >= 0.5])
    trust = page.get("/api/trust", plan=told["id"])
    assert any("discrete actions" in one["text"] for one in trust["statements"])
    thin = trust["thin"]["thinnest"]
    assert thin[0]["distance"] == max(one["distance"] for one in thin)
    assert thin[0]["action"].startswith("push ")


@pytest.mark.slow
def test_taking_away(asked, page, tmp_path):
    told, plan = asked
    for what in ("plan", "policy", "report"):
        page.post("/api/export", what=what, plan=told["id"], name=f"my-{what}")
    policy = da.load(tmp_path / "my-policy")
    seen = plan.mdp.transitions.observations[:50]
    assert np.array_equal(policy.act(seen), plan.policy().act(seen))
    assert "push" in (tmp_path / "my-report.html").read_text()
    # A plan that forbids ranges can be asked again without them.
    again = Page(da.load(tmp_path / "my-plan"), tmp_path, str(tmp_path / "my-plan"))
    question = again.get("/api/model")["question"]
    assert question["ranges"] == RANGES
    assert question["penalties"] == {"0": 0.1}
    free = again.ask({"gamma": 0.9}).head["plan"]
    assert free["mean_value"] == pytest.approx(
        page.ask({"gamma": 0.9}).head["plan"]["mean_value"], abs=2 * free["error"]
    )
    scope = {}
    exec(free["python"], scope)
    assert scope["plan"].values.mean() == pytest.approx(free["mean_value"], abs=1e-6)


@pytest.mark.parametrize(
    "question",
    [{"forbidden": [0]}, {"ranges": [{"column": 2}]}, {"penalties": {"5": 1.0}},
     {"ranges": [{"column": 0}]},
     {"reward": {"terms": [{"weight": 1.0, "of": "constant", "action": 0}]}}],
)  # fmt: skip
def test_what_cannot_be_asked_of_rows_gets_a_sentence(page, question):
    page._sequence += 1
    body = {"question": question, "tab": "a", "sequence": page._sequence}
    answer = page.post("/api/plans", status=422, **body)
    assert json.dumps(answer)


def test_discrete_actions_have_no_ranges(tmp_path):
    from tests.studio.worlds import corridor

    page = Page(da.compile(corridor(), k=4), tmp_path)
    body = {"question": {"ranges": RANGES}, "tab": "a", "sequence": 1}
    assert "discrete" in page.post("/api/plans", status=422, **body)["error"]


def test_columns_without_names_are_called_actions(tmp_path):
    page = Page(da.compile(slope(300, named=False), k=3), tmp_path)
    assert [one["name"] for one in page.get("/api/model")["action_columns"]] == [
        "action 0",
        "action 1",
    ]


def test_data_are_compiled(tmp_path):
    page = Page(slope(300), tmp_path)
    assert page.get("/api/model")["candidates"] == 20
    assert page.get("/api/opening")["plan"]["status"] == "optimal"
