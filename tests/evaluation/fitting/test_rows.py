"""Fits where actions are rows: judges against exact values, and the answer as for others."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.evaluation.fitting.choosing import Ranking, alike_by, chosen_of
from deepaveragers.evaluation.fitting.defaults import default_candidates
from deepaveragers.evaluation.fitting.folds import as_log
from deepaveragers.evaluation.fitting.judges.action_inputs import agreement
from deepaveragers.evaluation.fitting.judges.fitted_row_q import FittedRowQ
from deepaveragers.evaluation.fitting.judges.panel import make_panel
from deepaveragers.evaluation.fitting.judges.verdict import Withheld

from .test_judges import error

GAMMA = 0.8
NOISE = 0.1
DRIFT, PUSH = 0.95, 0.4
PAID = 0.1
QUICK = {"gamma": GAMMA, "time_budget": 30.0, "show_progress": False}
"""Too little time for networks."""


class Steered:
    """Pushes back by a share of the state; the second number of its actions does nothing."""

    def __init__(self, share):
        self.share = share

    def act(self, observations):
        return np.column_stack((-self.share * observations[:, 0], np.zeros(len(observations))))


def steering(episodes=120, steps=15, seed=0):
    """Return a log of x' = 0.95 x + 0.4 a + noise, pay -x^2 - 0.1 a^2, by random actions."""
    generator = np.random.default_rng(seed)
    states = np.empty((episodes, steps + 1))
    states[:, 0] = generator.uniform(-2, 2, episodes)
    actions = generator.uniform(-2, 2, (episodes, steps, 2))
    for step in range(steps):
        noise = NOISE * generator.normal(size=episodes)
        states[:, step + 1] = DRIFT * states[:, step] + PUSH * actions[:, step, 0] + noise
    here, there = states[:, :-1].reshape(-1, 1), states[:, 1:].reshape(-1, 1)
    taken = actions.reshape(-1, 2)
    return da.Transitions(
        observations=here,
        actions=taken,
        rewards=-(here[:, 0] ** 2) - PAID * taken[:, 0] ** 2,
        next_observations=there,
        terminations=np.zeros(len(here), bool),
        truncations=np.arange(len(here)) % steps == steps - 1,
        episode_ids=np.arange(len(here)) // steps,
        action_names=("push", "idle"),
    )


def steered_value(share, starts):
    """Return the exact value of pushing back by a share of the state."""
    closed = DRIFT - PUSH * share
    left = 1.0 - GAMMA * closed**2
    later = GAMMA * NOISE**2 / ((1.0 - GAMMA) * left)
    return -(1.0 + PAID * share**2) * float((starts**2).mean() / left + later)


@pytest.fixture(scope="module")
def data():
    return steering()


def test_what_was_done_is_a_representation_to_be_tried_with_support(data):
    plain = default_candidates(data, GAMMA, networks=False)
    learnt = default_candidates(data, GAMMA, networks=True)
    assert {one.encoder for one in plain} == {"standardize"}
    assert {one.encoder for one in learnt} == {"standardize", "dynamics", "outcomes", "behavior"}
    behavior = [one.objective.support for one in learnt if one.encoder == "behavior"]
    assert behavior == [0.3, 0.6, 1.0]


def test_among_plans_that_are_not_told_apart_rows_choose_by_small_differences(data):
    plans = [da.Candidate(da.Objective(support=0.6), encoder=one) for one in ("identity", "random")]
    scores = Ranking({0: 1.5, 1: 1.0}, [0, 1])
    better = {0: 0.650, 1: 0.657}
    assert chosen_of(plans, scores, better, alike_by(better, 0.0, rows=True)) == 1
    assert chosen_of(plans, scores, better) == 0
    close, random = {0: 0.650, 1: 0.653}, {0: 0.005, 1: 0.016}
    assert chosen_of(plans, scores, close, alike_by(close, 0.0, rows=True)) == 0
    assert chosen_of(plans, scores, random, alike_by(random, 0.0, rows=True)) == 0


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_fitted_q_finds_the_exact_value_within_its_error(share):
    log = as_log(steering(400), GAMMA)
    here, there = log.data.observations, log.data.next_observations
    found = FittedRowQ(log, here, there, here[log.first], 0).judge(Steered(share))
    truth = steered_value(share, here[log.first, 0])
    assert abs(found.value - truth) < 4 * error(found)
    assert error(found) < 0.3 * abs(truth)


@pytest.mark.parametrize("learn", [False, True])
def test_a_simulator_finds_the_value_and_says_how_sure_it_is(learn):
    if learn:
        pytest.importorskip("torch")
    log = as_log(steering(200), GAMMA)
    panel = make_panel(log, seed=0, learn=learn, advance=lambda count: None)
    starts = log.data.observations[log.first, 0]
    for share, opinions in zip((0.7, 0.0), panel.opinions([Steered(0.7), Steered(0.0)])):
        said = opinions["simulator"]
        truth = steered_value(share, starts)
        assert abs(said.value - truth) < max(4 * said.spread, 0.15 * abs(truth))
        assert isinstance(opinions["importance"], Withheld)
        assert "rows of numbers" in opinions["importance"].reason


def test_agreement_counts_what_is_nearly_the_same_beyond_chance():
    random = np.random.default_rng(0)
    units = np.array([1.0, 2.0, 0.5])
    rows = random.normal(size=(2_000, 3)) * units
    exact, near, far = (agreement(rows + step * units, rows, units) for step in (0.0, 0.1, 1.0))
    assert 1.0 > exact > near > 0.7
    assert far < 0.1
    for predicted in (np.zeros_like(rows), random.normal(size=rows.shape) * units):
        assert abs(agreement(predicted, rows, units)) < 0.02
    assert agreement(np.array([0, 1, 1]), np.array([0, 1, 0]), units) == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def found(data):
    return da.fit(data, **QUICK)


def test_a_better_policy_is_found_and_shown(data, found):
    assert found.shown
    assert isinstance(found.opinions["importance"], Withheld)
    assert "No word of importance weights: actions are rows of numbers" in str(found)
    names = {str(one.candidate) for one in found.judged}
    assert names == {str(one) for one in default_candidates(data, GAMMA, networks=False)}
    assert any("imitation" in name for name in names)
    assert any(one.candidate.one_step for one in found.judged)
    seen = np.linspace(-2.0, 2.0, 41)[:, None]
    assert np.corrcoef(found.policy.act(seen)[:, 0], seen[:, 0])[0, 1] < -0.5
    json.dumps(found.summary())
    with pytest.raises(da.InputError, match=r"similar cases.*policy\.explain"):
        found.cases(seen[0])


def test_a_fit_goes_on_and_its_plan_is_saved(data, found, tmp_path):
    once = da.fit(data, resume_dir=tmp_path / "kept", **QUICK)
    again = da.fit(data, resume_dir=tmp_path / "kept", **QUICK)
    assert once.interval == again.interval == found.interval
    da.save(found.plan, tmp_path / "plan")
    da.save(found.policy, tmp_path / "policy")
    seen = data.observations[:50]
    acted = found.policy.act(seen)
    np.testing.assert_array_equal(da.load(tmp_path / "plan").policy().act(seen), acted)
    np.testing.assert_array_equal(da.load(tmp_path / "policy").act(seen), acted)


def test_candidates_of_ones_own_and_rows_of_whole_numbers(data):
    whole = replace(data, actions=np.round(data.actions).astype(int))
    tried = [da.Candidate(candidates=count, lookup="lookahead") for count in (1, 8)]
    found = da.fit(whole, tried, **QUICK)
    assert {one.candidate.candidates for one in found.judged} == {1, 8}
    assert "candidates=8" in str(tried[1])
    with pytest.raises(da.InputError, match="candidates"):
        da.Candidate(candidates=0)
    ended = replace(data, terminations=np.ones(len(data), bool), truncations=None)
    assert da.fit(ended, **QUICK).policy.act(data.observations[:3]).shape == (3, 2)
