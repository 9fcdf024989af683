"""What the page says of states, groups and futures is what the library says."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.path import Path
from PIL import Image

from deepaveragers.data.returns import returns_to_go
from deepaveragers.policy.case import moment
from deepaveragers.studio.state_picture import as_image


@pytest.fixture
def asked(page):
    """A question with something forbidden, and the library's own plan."""
    told = page.ask({"gamma": 0.9, "forbidden": [0]}).head["plan"]
    return told["id"], page.session.known(told["id"]).plan


def test_a_state_has_the_plans_own_values(page, asked, mdp):
    name, plan = asked
    for state in np.flatnonzero(~mdp.transitions.terminations)[::211].tolist():
        told = page.post("/api/inspect", plan=name, state=state)
        assert told["value"] == plan.values[state]
        q_values = [one["q"] for one in told["actions"]]
        assert q_values == [None, *plan.q_values[state, 1:].tolist()]
        assert told["actions"][0]["reason"] == "forbidden by the question"
        best = plan.q_values[state].argmax()
        assert [one["best"] for one in told["actions"]] == [place == best for place in range(3)]
        assert (told["below"], told["above"]) == (plan.below, plan.above)
        assert told["episode"] == mdp.transitions.episode_name(state)
        seen = [one["value"] for one in told["observation"]]
        assert seen == mdp.transitions.next_observations[state].tolist()
        assert all(0.0 <= one["percentile"] <= 1.0 for one in told["observation"])


def test_a_state_has_the_time_at_which_it_was_seen(page, asked, mdp):
    data = mdp.transitions
    goes_on = np.flatnonzero(~(data.terminations | data.truncations))[::150]
    for state in [*goes_on.tolist(), *np.flatnonzero(data.terminations)[:2].tolist()]:
        told = page.post("/api/inspect", plan=asked[0], state=state)
        own = None if data.terminations[state] else moment(data.times[state + 1])
        assert told["time"] == own
        assert told["after"] == (None if own else moment(data.times[state]))


def test_cases_have_the_weights_of_the_plans_average(page, asked, mdp):
    name, plan = asked
    state = int(np.flatnonzero(~mdp.transitions.terminations)[40])
    told = page.post("/api/inspect", plan=name, state=state)
    decision = plan.policy().explain(mdp.transitions.next_observations[state], 5)
    cases = [*decision.cases, *decision.alternative_cases]
    assert [one["state"] for one in told["cases"]] == [one.transition for one in cases]
    earned = returns_to_go(mdp.transitions, plan.objective.gamma)
    expected = [earned[one.transition] for one in cases]
    assert [one["return_after"] for one in told["cases"]] == pytest.approx(expected)
    action = int(plan.q_values[state].argmax())
    near = mdp.graph.indices[state, action].tolist()
    weights = 1.0 / (mdp.graph.distances[state, action].astype(float) + 1e-5)
    expected = dict(zip(near, weights / weights.sum(), strict=True))
    name = mdp.transitions.action_names[action]
    of_best = [one for one in told["cases"] if one["done"] == name]
    assert len(of_best) == 5
    for one in of_best:
        assert one["weight"] == pytest.approx(expected.get(one["state"]))


def test_the_end_of_an_episode_has_no_actions(page, asked, mdp):
    name, _ = asked
    state = int(np.flatnonzero(mdp.transitions.terminations)[0])
    told = page.post("/api/inspect", plan=name, state=state)
    assert (told["ended"], told["value"], told["actions"]) == (True, 0.0, [])
    assert page.post("/api/imagine", plan=name, state=state) == {
        "steps": [], "ended": True, "repeats": False,
    }  # fmt: skip


def test_typed_observations(page, asked):
    name, plan = asked
    given = {"speed": 0.01, "lamp": 1, "place": 0.4}
    told = page.post("/api/inspect", plan=name, observation=given)
    q_values = plan.policy().q_values(given)[0]
    assert [one["q"] for one in told["actions"]] == [None, *q_values[1:].tolist()]
    assert told["state"] is None
    assert told["support"]["level"] != "none"
    assert page.post("/api/inspect", plan=name, observation=[0.4, 0.01, 1])["value"] == (
        pytest.approx(told["value"])
    )
    far = page.post("/api/inspect", plan=name, observation={"place": 90, "speed": 0, "lamp": 0})
    assert far["support"]["level"] == "none"
    assert far["support"]["distance"] > 100 * far["support"]["typical_distance"]
    for wrong in ({"place": 1}, [1.0], {"place": "x", "speed": 0, "lamp": 0}):
        page.post("/api/inspect", status=422, plan=name, observation=wrong)


def test_wrong_states(page, asked, mdp):
    name, _ = asked
    for state in (-1, len(mdp), 10**12):
        page.post("/api/inspect", status=422, plan=name, state=state)
    page.post("/api/inspect", status=422, plan=name)
    page.post("/api/inspect", status=422, plan=name, state=1, observation=[0, 0, 0])
    page.post("/api/inspect", status=404, plan="nothing", state=1)
    page.post("/api/imagine", status=422, plan=name, state=1, steps=10**6)
    page.post("/api/inspect/group", status=422, plan=name, states=[0, len(mdp)])


def test_futures(page, asked, mdp):
    name, plan = asked
    state = int(np.flatnonzero(~mdp.transitions.terminations)[7])
    told = page.post("/api/imagine", plan=name, state=state, steps=6)
    path = plan.policy().imagine(mdp.transitions.next_observations[state], 6)
    assert [one["state"] for one in told["steps"]] == [one.transition for one in path]
    assert [one["value"] for one in told["steps"]] == [one.value for one in path]
    assert told["ended"] == path[-1].ends
    assert all(0.0 < one["probability"] <= 1.0 for one in told["steps"][1:])


def test_groups(page, asked, mdp):
    name, plan = asked
    places = mdp.transitions.next_observations
    corners = [[0.2, -0.2], [0.7, -0.2], [0.6, 0.3]]
    told = page.post(
        "/api/inspect/group", plan=name, polygon={"x": "c0", "y": "c1", "points": corners}
    )
    inside = np.flatnonzero(Path(corners).contains_points(places[:, :2]))
    assert told["members"] == inside.tolist()
    data = mdp.transitions
    going_on = inside[~data.terminations[inside]]
    assert told["value"]["mean"] == pytest.approx(plan.values[going_on].mean())
    taken = [data.actions[s + 1] for s in going_on if not data.truncations[s]]
    logged = [one["logged"] for one in told["actions"]]
    assert logged == np.bincount(taken, minlength=3).tolist()
    assert told == page.post("/api/inspect/group", plan=name, states=inside.tolist())
    planned = plan.q_values[inside][~mdp.transitions.terminations[inside]].argmax(axis=1)
    counts = np.bincount(planned, minlength=3).tolist()
    assert [one["planned"] for one in told["actions"]] == counts
    lamp = next(one for one in told["columns"] if one["name"] == "lamp")
    assert lamp["mean"] == pytest.approx(places[inside, 2].mean())
    empty = page.post("/api/inspect/group", plan=name, states=[])
    assert (empty["states"], empty["value"], empty["rule"]) == (0, None, [])


def test_a_rule_tells_a_group(page, asked, mdp):
    name, _ = asked
    places = mdp.transitions.next_observations[:, 0]
    group = np.flatnonzero(places > 0.6)
    told = page.post("/api/inspect/group", plan=name, states=group.tolist())
    (condition,) = told["rule"]
    assert (condition["column"], condition["op"]) == ("place", ">")
    assert condition["value"] == pytest.approx(0.6, abs=0.02)
    assert condition["text"].startswith("place [m] > ")
    assert min(told["rule_precision"], told["rule_recall"]) > 0.95


def test_pictures(picture_page, picture_mdp):
    model = picture_page.get("/api/model")
    assert (model["kind"], model["shape"], model["columns"]) == ("pictures", [12, 12, 3], [])
    opening = picture_page.get("/api/opening")
    assert opening["axes"] == ["p0", "p1"]
    plan = opening["plan"]["id"]
    told = picture_page.post("/api/inspect", plan=plan, state=3)
    assert told["picture"] == "/api/states/3/picture.png"
    data = picture_mdp.transitions
    for path, expected in (
        (told["picture"], data.next_observations[3]),
        (told["cases"][0]["picture"], data.observations[told["cases"][0]["state"]]),
    ):
        path, _, query = path.partition("?")
        content = picture_page.get(path, **({"transition": 1} if query else {}))
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(content))), expected)
    picture_page.get("/api/states/100000/picture.png", status=422)
    assert picture_page.post("/api/inspect/group", plan=plan, states=[1, 2])["rule"] == []


def test_vectors_have_no_pictures(page):
    page.get("/api/states/3/picture.png", status=404)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((20, 30), (20, 30)), ((20, 30, 1), (20, 30)), ((20, 30, 4), (20, 30, 3)),
     ((4, 84, 84), (84, 84)), ((3, 64, 64), (64, 64, 3)), ((4, 20, 30, 3), (20, 30, 3))],
)  # fmt: skip
def test_layouts_of_pictures(shape, expected):
    assert as_image(np.zeros(shape, dtype=np.uint8)).shape == expected
