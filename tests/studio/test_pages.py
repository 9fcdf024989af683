"""Comparing, the data page, trust, maps, exports: the library's own results."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image
from tests.studio.conftest import Page
from tests.studio.worlds import corridor

import deepaveragers as da
from deepaveragers.studio.data_page import suited_histogram


@pytest.fixture
def two(page):
    left = page.get("/api/opening")["plan"]["id"]
    right = page.ask({"gamma": 0.7, "penalties": {"2": 0.05}}).head["plan"]["id"]
    return left, right, page.session.known(left).plan, page.session.known(right).plan


def test_compare(page, two):
    left, right, first, second = two
    told = page.get("/api/compare", left=left, right=right)
    expected = first.compare(second)
    assert told["changed_share"] == pytest.approx(expected.share)
    pairs = {(one["from"], one["to"]): one["states"] for one in told["changes"]}
    names = first.mdp.transitions.action_names
    assert {(names[a], names[b]): n for (a, b), n in pairs.items()} == expected.pairs
    assert told["loss"]["right_under_left"]["lost"] == pytest.approx(expected.first_loss.lost)
    assert told["loss"]["left_under_right"]["lost"] == pytest.approx(expected.second_loss.lost)
    columns = first.mdp.transitions.next_observations.astype(float)
    living = ~first.mdp.transitions.terminations
    changed = first.q_values.argmax(axis=1) != second.q_values.argmax(axis=1)
    assert told["groups"]
    compare = {">": np.greater, "<=": np.less_equal}
    places = {"place": 0, "speed": 1, "lamp": 2}
    for group in told["groups"]:
        here = living.copy()
        for one in group["conditions"]:
            here &= compare[one["op"]](columns[:, places[one["column"]]], one["value"])
        assert group["states"] == here.sum()
        assert group["changed_share"] == pytest.approx(changed[here].mean())
        assert group["changed_share"] > told["changed_share"]


def test_plans_that_cannot_be_compared(page, two):
    left = two[0]
    assert page.get("/api/compare", left=left, right=left)["loss"] is None
    right = page.ask({"horizon": 3}).head["plan"]["id"]
    told = page.get("/api/compare", left=left, right=right)
    assert told["loss"] is None
    assert "horizon" in told["note"]
    page.get("/api/compare", status=404, left=left, right="nothing")


def test_pins(page, two):
    left, right, *_ = two
    assert page.get("/api/pins") == []
    page.post("/api/pins", plan=left, label="  as it\n is ")
    told = page.post("/api/pins", plan=right, label="<b>")
    assert [(one["id"], one["pinned"]) for one in told] == [(left, "as it is"), (right, "<b>")]
    assert page.delete(f"/api/pins/{left}") == page.get("/api/pins")
    assert [one["id"] for one in page.get("/api/pins")] == [right]
    page.post("/api/pins", status=422, plan=left, label=" ")
    page.post("/api/pins", status=404, plan="nothing", label="x")


def test_data(page, two, mdp):
    told = page.get("/api/data", plan=two[1])
    found = da.diagnose(mdp.transitions)
    assert [one["code"] for one in told["findings"]] == [one.code for one in found.findings]
    assert sum(told["returns"]["counts"]) == mdp.transitions.num_episodes
    assert sum(told["lengths"]["counts"]) == mdp.transitions.num_episodes
    ends = told["lengths"]["edges"][0] + 0.5, told["lengths"]["edges"][-1] - 0.5
    assert ends[0] == found.lengths.min()
    assert ends[1] >= found.lengths.max()
    assert [one["logged"] for one in told["actions"]] == found.action_counts.tolist()
    living = ~mdp.transitions.terminations
    planned = np.bincount(two[3].q_values[living].argmax(axis=1), minlength=3)
    assert [one["planned"] for one in told["actions"]] == planned.tolist()
    assert [one["name"] for one in told["columns"]] == ["place", "speed", "lamp"]
    assert [one["whole"] for one in told["columns"]] == [False, False, True]
    assert told["columns"][2]["edges"] == [-0.5, 0.5, 1.5]
    assert all(sum(one["counts"]) == len(mdp) for one in told["columns"])


def test_from_a_finding_to_its_states(tmp_path, colours):
    data = corridor()
    rewards = data.rewards.copy()
    rewards[17] = 1e6
    broken = da.Transitions(
        observations=data.observations, actions=data.actions, rewards=rewards,
        next_observations=data.next_observations, terminations=data.terminations,
        truncations=data.truncations, episode_ids=data.episode_ids,
    )  # fmt: skip
    page = Page(da.compile(broken, k=3), tmp_path)
    plan = page.get("/api/opening")["plan"]["id"]
    finding = next(f for f in page.get("/api/data")["findings"] if f["code"] == "reward_spike")
    assert finding["states"] == 1
    assert page.get("/api/model")["findings_count"] > 0
    answer = page.get(f"/api/plans/{plan}/colouring", by=f"finding:{finding['id']}")
    assert np.flatnonzero(colours(answer.payload) == 1).tolist() == [17]
    for wrong in ("finding:999", "finding:", "finding:-1", "finding:0x", "finding:٣"):
        page.get(f"/api/plans/{plan}/colouring", status=404, by=wrong)


def test_trust(page, two, mdp):
    left, _, plan, _ = two
    told = page.get("/api/trust", plan=left)
    kinds = {one["kind"] for one in told["statements"]}
    assert {"proved", "estimated", "promised", "assumed"} <= kinds
    found = da.guarantee(plan)
    assert told["guarantee"]["optimism"] == pytest.approx(found.optimism)
    assert told["thin"]["thinnest"][0]["state"] == found.thinnest[0].transition
    starts = [rows.start for rows in mdp.transitions.episodes()]
    earned = [
        (mdp.transitions.rewards[rows] * 0.99 ** np.arange(rows.stop - rows.start)).sum()
        for rows in mdp.transitions.episodes()
    ]
    assert told["behaviour"]["mean"] == pytest.approx(np.mean(earned))
    assert told["behaviour"]["episodes"] == len(starts)
    assert told["planned"] == pytest.approx(page.get(f"/api/plans/{left}")["start_value"])
    horizon = page.ask({"horizon": 3}).head["plan"]["id"]
    assert page.get("/api/trust", plan=horizon)["guarantee"] is None


def test_map(page, two, mdp, colours):
    left, right, *_ = two
    asked = {"x": "c0", "y": "c1", "plan": left, "width": 300, "height": 200}
    shown = {}
    for by in ("value", "action", "changed", "difference"):
        for theme in ("light", "dark"):
            content = page.get("/api/map.png", **asked, by=by, other=right, theme=theme)
            image = Image.open(io.BytesIO(content)).convert("RGB")
            assert image.size == (300, 200)
            shown[by, theme] = image.tobytes()
    assert len(set(shown.values())) == 8
    codes = colours(page.get(f"/api/plans/{left}/colouring", by="action").payload)
    hidden = ",".join(map(str, np.unique(codes)))
    content = page.get("/api/map.png", **asked, by="action", hidden=hidden)
    assert len(Image.open(io.BytesIO(content)).convert("RGB").getcolors()) == 1
    for wrong in (
        {"width": 10**6}, {"width": 0}, {"left": 1, "right": 0}, {"left": "nan"}, {"x": "c9"},
        {"hidden": "x"}, {"hidden": "1,"}, {"theme": "x"}, {"top": "x"}, {"by": "x"},
    ):  # fmt: skip
        page.get("/api/map.png", status=422, **{**asked, **wrong})


def test_the_state_under_a_click(page, mdp):
    places = mdp.transitions.next_observations
    for state in (3, 100, 500):
        x, y = places[state, :2].tolist()
        told = page.get("/api/map/nearest", x="c0", y="c1", px=x, py=y)["state"]
        assert places[told, :2].tolist() == [x, y]


def test_a_state_is_drawn_where_it_is():
    from deepaveragers.studio.map_picture import View, map_picture
    from deepaveragers.studio.messages import Legend

    one = np.array([0.75], dtype=np.float32)
    legend = Legend("action", "", "categories")
    content = map_picture(
        one, -one, np.zeros(1, dtype=np.uint8), legend, View(-1, 1, -1, 1, width=80, height=40)
    )
    image = np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))
    assert image[35, 70].tolist() == [0, 114, 178]
    assert image[5, 5].tolist() == [255, 255, 255]
    rows, columns = np.nonzero((image != 255).any(axis=2))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (31, 39, 66, 74)


@pytest.mark.slow
def test_exports(page, two, tmp_path):
    left, right, *_, plan = two
    assert page.post("/api/export", what="plan", plan=right, name="my plan") == {"name": "my plan"}
    assert np.array_equal(da.load(tmp_path / "my plan").values, plan.values)
    page.post("/api/export", what="policy", plan=right, name="acts")
    seen = plan.mdp.transitions.observations[:20]
    acting = da.load(tmp_path / "acts")
    assert np.array_equal(acting.act(seen), plan.policy().act(seen))
    assert page.post("/api/export", what="report", plan=left, name="r")["name"] == "r.html"
    assert (tmp_path / "r.html").read_bytes() == page.get("/api/report", plan=left)
    taken = page.post("/api/export", status=409, what="report", plan=left, name="r")
    assert taken["error"] == "There is already a file named r.html."
    page.post("/api/export", status=400, what="everything", plan=left, name="s")


def test_the_server_draws_in_the_colours_of_the_page():
    from pathlib import Path as Where

    from deepaveragers.studio import palettes

    text = (Where(__file__).parents[2] / "studio/src/map/palette.ts").read_text()

    def numbers(name):
        body = text.split(f"const {name}")[1].split(";\n")[0].partition(" = ")[2]
        return [int(one) for one in re.findall(r"\d+", body)]

    def flat(found):
        return [part for colour in found for part in colour]

    assert numbers("VIRIDIS") == flat(palettes.CONTINUOUS)
    assert numbers("DARK_FROM") == [palettes.DARK_FROM]
    assert numbers("OKABE_ITO") == flat(palettes.CATEGORIES)
    assert numbers("DIVERGING") == [
        part for theme in ("light", "dark") for part in flat(palettes.AROUND_ZERO[theme])
    ]
    for name, own in (("MISSING", palettes.NO_VALUE), ("REST", palettes.REST)):
        assert numbers(name) == [*own["light"], *own["dark"]]


def test_bins_of_whole_numbers_hold_equally_many_of_them():
    rates = np.repeat(np.arange(60, 121), 5)
    seen = suited_histogram(rates.astype(float))
    assert seen.whole
    assert set(seen.counts[1:-1]) == {10}
    assert sum(seen.counts) == len(rates)
    rare = np.repeat([0.0, 1.0], [10_000, 40])
    assert suited_histogram(rare).counts == (10_000, 40)
    assert not suited_histogram(rates / 10).whole
    assert not suited_histogram(np.array([0.0, 1e300])).whole
    assert sum(suited_histogram(np.array([np.nan, -1.0, 1.0])).counts) == 2
