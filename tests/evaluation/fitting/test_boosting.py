"""Trees that correct what smooth models blur, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepaveragers.data.returns import returns_to_go
from deepaveragers.evaluation.fitting.folds import as_log
from deepaveragers.evaluation.fitting.intervals import difference
from deepaveragers.evaluation.fitting.judges.boosting import ErrorPredictor, boost
from deepaveragers.evaluation.fitting.judges.correction import (
    Outcome,
    as_arrays,
    corrections,
    from_arrays,
    said_of_others,
)
from deepaveragers.evaluation.fitting.judges.fitted_q import FittedQ
from deepaveragers.evaluation.fitting.judges.local import LocalSimulator
from deepaveragers.evaluation.fitting.judges.panel import make_panel

from .worlds import BONUS, GAMMA, Always, corridor, quota, quota_value


def paid(charge):
    return np.where(charge >= 85.0, 30.0, charge / 10.0)


def boosted(inputs, wanted, guess, **settings):
    rows = np.arange(len(inputs))
    return boost(inputs, wanted, guess, rows, [rows], seed=0, **settings)[0]


def test_trees_find_a_threshold_that_a_line_misses():
    generator = np.random.default_rng(0)
    inputs = generator.uniform(0.0, 100.0, size=(400, 4))
    line = np.polynomial.Polynomial.fit(inputs[:, 0], paid(inputs[:, 0]), 1)
    model = boosted(inputs, paid(inputs[:, 0]), line(inputs[:, 0]))
    asked = generator.uniform(0.0, 100.0, size=(500, 4))
    asked = asked[np.abs(asked[:, 0] - 85.0) > 2.0]
    truth, guess = paid(asked[:, 0]), line(asked[:, 0])
    missed = np.square(guess - truth).mean()
    assert np.square(model(asked, guess) - truth).mean() < 0.02 * missed


@pytest.mark.parametrize("logistic", [False, True])
def test_a_guess_that_is_right_stays_to_the_bit(logistic):
    generator = np.random.default_rng(1)
    inputs = generator.normal(size=(600, 3))
    guess = inputs[:, 0]
    wanted = guess + generator.normal(size=600)
    if logistic:
        wanted = (generator.random(600) < 1.0 / (1.0 + np.exp(-guess))).astype(float)
    model = boosted(inputs, wanted, guess, logistic=logistic)
    assert np.array_equal(model(inputs, guess), guess)


def test_chances_of_ends_are_corrected_by_the_logistic_loss():
    inputs = np.random.default_rng(2).uniform(size=(500, 2))
    ended = (inputs[:, 1] > 0.7).astype(float)
    guess = np.full(500, np.log(0.3 / 0.7))
    chance = 1.0 / (1.0 + np.exp(-boosted(inputs, ended, guess, logistic=True)(inputs, guess)))
    assert np.abs(chance - ended).mean() < 0.05


def test_errors_are_predicted_only_where_episodes_agree_on_them():
    generator = np.random.default_rng(3)
    inputs, noise = generator.uniform(size=(600, 2)), generator.normal(size=600)
    episodes = np.arange(600) // 10
    predict = ErrorPredictor(inputs, episodes, seed=0)
    assert np.array_equal(predict(noise), np.zeros(600))
    known = predict(noise + 2.0 * (inputs[:, 0] > 0.5))
    assert np.corrcoef(known, inputs[predict.rows, 0] > 0.5)[0, 1] > 0.8


def test_members_are_corrected_by_what_they_say_of_rows_they_did_not_learn_from():
    ones = np.ones(4)
    parts = [Outcome(ones, ones, ones), Outcome(3 * ones, ones, ones)]
    said = said_of_others(parts, [np.array([0, 1]), np.array([0, 2])])
    assert np.isnan(said.reward[0])
    assert said.reward[1:].tolist() == [3.0, 1.0, 2.0]


def test_corrections_come_back_from_their_arrays():
    generator = np.random.default_rng(4)
    inputs = generator.uniform(size=(300, 2))
    ends = np.arange(300) % 3 == 0
    nothing = Outcome(*np.zeros((3, 300)))
    found = corrections(
        inputs, 5.0 * (inputs[:, 0] > 0.5), ends, nothing, np.arange(300) // 3,
        [np.arange(300), np.arange(150)], seed=0,
    )  # fmt: skip
    again = from_arrays(as_arrays(found))
    for before, after in zip(found, again, strict=True):
        assert np.array_equal(before(inputs, nothing), after(inputs, nothing))
    assert not np.array_equal(found[0](inputs, nothing).reward, nothing.reward)


def test_fitted_q_doubts_itself_where_its_functions_cannot_express_the_reward():
    smooth, spiky = as_log(corridor(200), GAMMA), as_log(quota(200), GAMMA)
    spreads = []
    for log in (smooth, spiky):
        here, there = log.data.observations, log.data.next_observations
        spreads.append(FittedQ(log, here, there, here[log.first], 0).judge(Always(1)).spread)
    assert spreads[0] < 0.1
    assert spreads[1] > 0.2


@pytest.mark.parametrize("learn", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_simulator_knows_a_bonus_that_begins_at_a_threshold(learn):
    if learn:
        pytest.importorskip("torch")
    panel = make_panel(as_log(quota(300), 0.99), seed=0, learn=learn, advance=lambda count: None)
    for action, opinions in enumerate(panel.opinions([Always(0), Always(1)])):
        said = opinions["simulator"]
        allowed = 0.15 if learn else 0.05
        assert abs(said.value - quota_value(action)) < allowed * BONUS
        assert said.spread < (0.4 if learn else 0.06) * BONUS


@pytest.mark.parametrize("learn", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_interval_reaches_the_worst_where_a_policy_leaves_what_was_logged(learn):
    if learn:
        pytest.importorskip("torch")
    log = as_log(quota(100, most=0.6), 0.99)
    panels = [make_panel(log, seed=s, learn=learn, advance=lambda count: None) for s in (0, 1)]
    near, far = (
        difference(
            [panel.opinions([Always(action)])[0]["simulator"] for panel in panels],
            [panel.behaviour for panel in panels],
            0.9,
        )
        for action in (0, 1)
    )
    worst = returns_to_go(log.data, log.gamma).min() - panels[0].behaviour.mean()
    assert far.value > worst + 1.0
    assert far.low <= worst + 0.5
    assert near.doubt < 0.2 * far.doubt


@pytest.mark.parametrize("learn", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_action_that_was_never_logged_is_doubted(learn):
    if learn:
        pytest.importorskip("torch")
    data = quota(40)
    named = replace(data, action_names=("rest", "push", "never"), rewards=data.rewards - 1.0)
    panel = make_panel(as_log(named, 0.99), seed=0, learn=learn, advance=lambda count: None)
    never = panel.opinions([Always(2)])[0]["simulator"]
    assert never.value - never.doubt <= panel.behaviour.min() + 1.0


@pytest.mark.parametrize("scale", [2.0**-30, 2.0**30])
def test_trees_are_the_same_in_any_units(scale):
    generator = np.random.default_rng(5)
    inputs = generator.uniform(0.0, 100.0, size=(300, 2))
    usual = boosted(inputs, paid(inputs[:, 0]), np.zeros(300))(inputs, np.zeros(300))
    scaled = boosted(inputs, scale * paid(inputs[:, 0]), np.zeros(300))(inputs, np.zeros(300))
    assert np.allclose(scaled, scale * usual)


@pytest.mark.parametrize("ended", [False, True])
def test_a_log_without_ends_has_none_in_its_simulator_and_one_of_ends_only_ends(ended):
    data = quota(20)
    one = replace(data, terminations=np.full(len(data), ended))
    if ended:
        one = replace(one, episode_ids=np.arange(len(data)))
    simulator = LocalSimulator(as_log(one, GAMMA), seed=0)
    states = simulator.states(data.observations)
    luck = np.random.default_rng(0).random((len(data), states.shape[1] + 2))
    found = simulator.step(states, data.actions, np.arange(len(data)) % 5, luck)
    assert (found.ended == ended).all()
    assert (found.at_worst <= found.rewards).all()
