"""Which simulators judge: those that come near to logged returns, replayed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepaveragers.evaluation.fitting.folds import as_log
from deepaveragers.evaluation.fitting.judges import replaying
from deepaveragers.evaluation.fitting.judges.local import LocalSimulator
from deepaveragers.evaluation.fitting.judges.playing import Step

from .worlds import GAMMA, corridor


class Exact:
    """A corridor without slips, as it is, but for what it pays too much at every step."""

    members, draws, draw_variance, weights = 5, 5, 1.0, {}

    def __init__(self, too_much=0.0, luck=0.0, length=12):
        self.too_much, self.luck, self.length = too_much, luck, length

    def states(self, observations):
        return np.array(observations, dtype=np.float64)

    def observations(self, states):
        return states

    def step(self, states, actions, member, draws):
        after = states + np.where(np.asarray(actions) == 1, 1.0, -1.0)[:, None]
        place = after[:, 0]
        earned = (place >= self.length) + self.too_much + self.luck * (draws[:, 0] - 0.5)
        ended = (place <= 0.0) | (place >= self.length)
        return Step(after, earned, earned, ended, np.ones(len(after), dtype=bool))


@pytest.fixture(scope="module")
def log():
    return as_log(corridor(60, noise=0.0), GAMMA)


def test_what_is_as_the_world_replays_the_log_to_the_digit(log):
    assert replaying.replay_error(Exact(), log, seed=0) < 1e-12


def test_the_error_is_that_of_discounted_returns(log):
    """One step pays 1 too much: with rows cut off after one step, that is all of the error."""
    single = as_log(corridor(60, noise=0.0, cut=1), GAMMA)
    assert replaying.replay_error(Exact(1.0), single, seed=0) == pytest.approx(1.0)
    longer = replaying.replay_error(Exact(1.0), log, seed=0)
    assert 1.0 < longer < 1.0 / (1.0 - GAMMA)


def test_luck_of_its_own_is_no_error_of_a_simulator(log):
    """Noise on every reward, three times as large as a bias that is found."""
    lucky = replaying.replay_error(Exact(luck=1.0), log, seed=0)
    biased = replaying.replay_error(Exact(0.3), log, seed=0)
    assert lucky < 0.3 * biased


def test_errors_that_matter_nowhere_leave_nobody_out(log):
    both = Exact(), Exact(1e-4)
    assert replaying.near_the_log(both, log, seed=0) == list(both)


def test_a_simulator_that_fails_is_left_out(log):
    right, broken = Exact(), Exact(np.nan)
    assert replaying.near_the_log((broken, right), log, seed=0) == [right]
    assert replaying.near_the_log((broken,), log, seed=0) == [broken]


def test_what_is_clearly_farther_from_the_log_is_left_out_in_any_order(log):
    right, wrong = LocalSimulator(log, seed=0), Exact(0.5)
    assert replaying.near_the_log((wrong, right), log, seed=0) == [right]
    assert replaying.near_the_log((right, wrong), log, seed=0) == [right]


def test_what_is_as_near_to_the_log_judges_too(log):
    both = Exact(0.5), Exact(0.55)
    assert replaying.near_the_log(both, log, seed=0) == list(both)


def test_joined_simulators_move_every_state_by_its_own_member(log):
    few, many = Exact(1.0), LocalSimulator(log, seed=0)
    joined = replaying.Joined((few, many))
    assert joined.members == few.members + many.members
    assert joined.draws == 5  # both have the same draws of the episodes
    generator = np.random.default_rng(0)
    states = many.states(generator.integers(2, 10, size=(40, 1)))
    actions, draws = generator.integers(2, size=40), generator.random((40, 3))
    member = np.arange(40) % joined.members
    found = joined.step(states, actions, member, draws)
    for simulator, own, first in ((few, member < 5, 0), (many, member >= 5, 5)):
        alone = simulator.step(states[own], actions[own], member[own] - first, draws[own])
        for whole, part in zip(found, alone, strict=True):
            assert np.array_equal(whole[own], part)


def test_members_replay_only_episodes_that_they_did_not_learn_from(log):
    rows, member = replaying._left_out(log, 5, 0, np.random.default_rng(0))
    assert len(rows) == 5 * replaying.REPLAYED
    for one, draw in enumerate(log.draws(5, 0)):
        assert not set(log.number[rows[member == one]]) & set(log.number[draw])


def test_a_log_whose_episodes_are_all_drawn_replays_nothing():
    alone = as_log(corridor(1, noise=0.0), GAMMA)
    assert replaying.replay_error(Exact(), alone, seed=0) == math.inf
