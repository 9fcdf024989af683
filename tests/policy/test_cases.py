"""Comparable cases: what was done in states like this one, and how it ended."""

from __future__ import annotations

import json

import numpy as np
import pytest

import deepaveragers as da

NAMES = ("age", "lactate", "MAP")
LOOKUPS = ("nearest", "lookahead")


@pytest.fixture(scope="module")
def ward():
    """Sixty patients of three to six hours, the last cut off or left open."""
    random = np.random.default_rng(0)
    lengths = random.integers(3, 7, 60)
    size = int(lengths.sum())
    last = np.cumsum(lengths) - 1
    ends = np.full(60, 0)
    ends[::3], ends[1::3] = 1, 2
    states = random.normal(size=(size, 3)) * [15.0, 2.0, 10.0] + [60.0, 3.0, 70.0]
    later = np.vstack([states[1:], states[:1]]) + random.normal(size=(size, 3))
    return da.Transitions(
        observations=states,
        actions=random.choice(["high", "low", "none"], size),
        rewards=random.normal(size=size),
        next_observations=later,
        terminations=np.isin(np.arange(size), last[ends == 1]),
        truncations=np.isin(np.arange(size), last[ends == 2]),
        episode_ids=np.repeat([f"p{number}" for number in random.permutation(60)], lengths),
        observation_names=NAMES,
        observation_units={"lactate": "mmol/l"},
        times=np.datetime64("2026-01-31T08:00", "us") + np.arange(size) * np.timedelta64(1, "h"),
    )


@pytest.fixture(scope="module")
def plan_of_ward(ward):
    return da.compile(ward, 3).solve(gamma=0.9)


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_cases_are_the_nearest_states_in_which_the_action_was_taken(ward, plan_of_ward, lookup):
    policy = plan_of_ward.policy(k=3, lookup=lookup)
    mdp = plan_of_ward.mdp
    now = np.array([61.0, 4.0, 66.0])
    decision = policy.explain(now, cases=6)
    gaps = np.linalg.norm(mdp.source_features - mdp.encoder.encode(now[None]), axis=1)
    for name, cases, taken in (
        (decision.action_name, decision.cases, decision.times_taken),
        (decision.alternative, decision.alternative_cases, decision.alternative_taken),
    ):
        members = np.flatnonzero(ward.actions == ward.action_names.index(name))
        assert taken == len(members)
        nearest = members[np.argsort(gaps[members], kind="stable")[:6]]
        assert [case.transition for case in cases] == nearest.tolist()
        assert np.allclose([case.distance for case in cases], gaps[nearest], rtol=1e-5)
        assert {case.action for case in cases} == {name}
    ranked = sorted(decision.q_values, key=lambda name: -decision.q_values[name])
    assert [decision.action_name, decision.alternative] == ranked[:2]


def test_cases_say_what_happened(ward, plan_of_ward):
    policy = plan_of_ward.policy(k=3)
    seen = set()
    for row in range(0, len(ward), 7):
        now = ward.observations[row] + 0.5
        decision = policy.explain(now)
        assert decision.observation == dict(zip(NAMES, now.tolist(), strict=True))
        for case in (*decision.cases, *decision.alternative_cases):
            place = case.transition
            assert case.episode == ward.episode_name(place)
            rows = next(rows for rows in ward.episodes() if rows.start <= place < rows.stop)
            assert (case.step, case.steps_after) == (place - rows.start, rows.stop - 1 - place)
            assert case.earned == pytest.approx(ward.rewards[place : rows.stop].sum())
            assert case.reward == ward.rewards[place]
            assert case.time == ward.times[place].item().isoformat()
            ended = ward.terminations[rows.stop - 1], ward.truncations[rows.stop - 1]
            words = {(True, False): "terminated", (False, True): "truncated"}
            assert case.ending == words.get(tuple(map(bool, ended)), "open")
            seen.add(case.ending)
            for number, column in enumerate(case.columns):
                assert (column.name, column.unit) == (NAMES[number], "mmol/l" * (number == 1))
                assert (column.now, column.value) == (now[number], ward.observations[place, number])
                assert column.difference == column.value - column.now
                over = ward.terminations[place]
                assert column.after == (None if over else ward.next_observations[place, number])
    assert seen == {"terminated", "truncated", "open"}


def test_the_text_names_everything(plan_of_ward):
    decision = plan_of_ward.policy(k=3).explain({"lactate": 4.0, "MAP": 66.0, "age": 61.0})
    text = str(decision)
    case = decision.cases[0]
    for words in (
        f"action {decision.action_name}",
        "lactate [mmol/l]",
        f"{case.episode}, step {case.step}",
        case.time,
        f"the best alternative, {decision.alternative!r},",
        "earned to the end",
    ):
        assert words in text
    assert max(map(len, text.splitlines())) < 160
    assert "its reward" not in text
    assert "its reward" in decision.decomposition()
    assert decision.evidence[0].episode_name in decision.decomposition()
    plain = json.loads(json.dumps(decision.summary(), allow_nan=False))
    assert plain["observation"] == {"age": 61.0, "lactate": 4.0, "MAP": 66.0}
    assert plain["cases"][0]["columns"][1]["name"] == "lactate"
    assert plain["evidence"][0]["episode_name"].startswith("p")


def tied(gap):
    """Return the decision between two actions whose rewards differ by the gap."""
    data = da.Transitions(
        observations=np.repeat(np.arange(10.0), 2)[:, None],
        actions=np.tile([0, 1], 10),
        rewards=np.tile([1.0, 1.0 + gap], 10),
        next_observations=np.repeat(np.arange(10.0), 2)[:, None] + 0.5,
        terminations=np.arange(20) % 7 == 6,
    )
    plan = da.compile(data, 2).solve(gamma=0.9, tolerance=1e-2)
    return plan, plan.policy(k=1).explain([4.5])


def test_actions_closer_than_the_certified_error_are_ties():
    plan, decision = tied(gap=0.0)
    assert decision.ties == (decision.alternative,)
    assert "tie: not told apart from" in str(decision)
    plan, decision = tied(gap=5.0)
    values = sorted(decision.q_values.values())
    assert values[1] - values[0] > plan.below + plan.above
    assert decision.ties == ()
    assert "tie" not in str(decision)


def test_one_action_has_no_alternative(ward):
    alone = ward.subset(np.flatnonzero(ward.actions == 0))
    decision = da.compile(alone, 2).solve(gamma=0.9).policy(k=2).explain([60.0, 3.0, 70.0])
    assert (decision.alternative, decision.alternative_cases, decision.ties) == (None, (), ())


def test_a_fallback_that_was_never_taken_has_no_cases(ward):
    named = da.Transitions(
        **{
            name: getattr(ward, name)
            for name in ("observations", "rewards", "next_observations", "terminations")
        },
        actions=ward.actions,
        action_names=(*ward.action_names, "wait"),
    )
    plan = da.compile(named, 2).solve(gamma=0.9)
    policy = plan.policy(k=2, support_threshold=1.0, fallback="wait")
    decision = policy.explain([600.0, 3.0, 70.0])
    assert decision.abstained
    assert (decision.action_name, decision.cases, decision.times_taken) == ("wait", (), 0)
    assert decision.alternative == decision.best
    assert "no case in which 'wait' was taken" in str(decision)
    assert "column 1" in str(decision)


def test_wide_states_keep_the_columns_that_differ_most():
    random = np.random.default_rng(0)
    states = random.normal(size=(50, 100))
    data = da.Transitions(
        observations=states,
        actions=np.arange(50) % 2,
        rewards=np.zeros(50),
        next_observations=states,
        terminations=np.zeros(50, dtype=bool),
    )
    now = states[3].copy()
    now[[17, 91]] += 50.0
    decision = da.compile(data, 2).solve().policy(k=2).explain(now)
    names = [column.name for column in decision.cases[0].columns]
    assert len(names) == 64
    assert {"column 17", "column 91"} < set(names)
    for case in decision.cases:
        assert [column.name for column in case.columns] == names
    assert "column 91" in str(decision)
    assert len(decision.observation) == 100


def test_pictures_have_cases_without_columns():
    random = np.random.default_rng(0)
    pictures = random.integers(0, 255, (30, 4, 4, 3), dtype=np.uint8)
    data = da.Transitions(
        observations=pictures,
        actions=np.arange(30) % 2,
        rewards=np.zeros(30),
        next_observations=pictures,
        terminations=np.zeros(30, dtype=bool),
    )
    plan = da.compile(data, 2, encoder=da.Identity()).solve()
    decision = plan.policy(k=2).explain(pictures[0])
    assert decision.observation is None
    assert decision.cases[0].columns == ()
    assert "distance" in str(decision)


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_explaining_encodes_once_and_asks_a_reward_function_once(ward, lookup):
    counts = {"encode": 0, "rewards": 0}

    def encode(rows):
        counts["encode"] += 1
        return rows

    def rewards(observations, actions, next_observations):
        counts["rewards"] += 1
        return actions.astype(float)

    plan = da.compile(ward, 3, encoder=encode).solve(gamma=0.9, rewards=rewards)
    policy = plan.policy(k=3, lookup=lookup)
    first = policy.explain(ward.observations[0])
    asked = dict(counts)
    for row in range(1, 6):
        policy.explain(ward.observations[row])
    assert counts["encode"] - asked["encode"] == 5
    assert counts["rewards"] == asked["rewards"]
    assert policy.explain(ward.observations[0]) == first
