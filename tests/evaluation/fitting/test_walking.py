"""Walks over logged pictures: what they are worth, and what they do not believe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepaveragers.evaluation.fitting.folds import as_log
from deepaveragers.evaluation.fitting.judges.panel import make_panel
from deepaveragers.evaluation.fitting.judges.playing import play
from deepaveragers.evaluation.fitting.judges.walking import WalkSimulator, walks
from deepaveragers.representation.picture_components import fit_picture_components

from .worlds import GAMMA, Always, corridor, corridor_value, pictures_of

FAR = 1e3


@pytest.fixture(scope="module")
def log():
    return as_log(pictures_of(corridor(300, cut=10_000)), GAMMA)


@pytest.fixture(scope="module")
def components(log):
    return fit_picture_components(log.data.observations)


@pytest.fixture(scope="module")
def walk(log, components):
    return WalkSimulator(log, components, seed=0)


def moved(simulator, rows, action, seed=0):
    """Return a step of every member from logged pictures."""
    member = np.arange(simulator.members).repeat(len(rows))
    states = np.tile(simulator.states(rows), (simulator.members, 1))
    draws = np.random.default_rng(seed).random((len(states), 3))
    return simulator.step(states, np.full(len(states), action), member, draws)


@pytest.mark.parametrize("action", [0, 1])
def test_where_pictures_tell_everything_a_walk_is_worth_what_the_world_is(log, walk, action):
    starts = log.data.observations[np.repeat(log.first, 2)]
    (returns,), _ = play(walk, [Always(action)], starts, gamma=GAMMA, worst=0.0, seed=0)
    by_member = np.array([returns[one :: walk.members].mean() for one in range(walk.members)])
    several = by_member[1::2]  # those with one neighbour repeat its luck
    truth = corridor_value(float(action))
    error = several.std(ddof=1) / np.sqrt(len(several))
    assert abs(several.mean() - truth) < 4 * error + 0.01


def test_a_state_shows_the_logged_picture_that_it_is(log, walk):
    shown = walk.observations(walk.states(log.data.observations[:40]))
    assert np.array_equal(shown, log.data.observations[:40])
    after = moved(walk, log.data.observations[:40], 1)
    known = {picture.tobytes() for picture in log.data.next_observations}
    assert {picture.tobytes() for picture in walk.observations(after.states)} <= known


def test_an_action_that_was_never_logged_leads_nowhere_and_is_not_believed(components, log):
    only_right = as_log(pictures_of(corridor(50, right=1.0)), GAMMA)
    walk = WalkSimulator(only_right, components, seed=0)
    here = only_right.data.observations[:4]
    step = moved(walk, here, 0)
    assert np.array_equal(walk.observations(step.states), np.tile(here, (walk.members, 1, 1, 1)))
    assert np.all(step.rewards == only_right.data.rewards.min())
    assert not step.ended.any()
    assert not step.believed.any()


def test_what_lies_far_from_all_pictures_is_not_believed(log, components):
    sources = components(log.data.observations)
    cores = components(log.data.next_observations) + FAR
    walk = WalkSimulator(log, components, seed=0, learnt=(sources, cores))
    first = moved(walk, log.data.observations[:40], 1)
    assert first.believed.all()
    member = np.arange(walk.members).repeat(40)
    going = np.flatnonzero(~first.ended)
    draws = np.zeros((len(going), 3))
    second = walk.step(first.states[going], np.ones(len(going), int), member[going], draws)
    assert not second.believed.any()


@pytest.mark.parametrize("learn", [False, True])
def test_what_was_kept_walks_in_the_same_way(log, components, learn, monkeypatch):
    if learn:
        pytest.importorskip("torch")
    monkeypatch.setattr("deepaveragers.evaluation.fitting.judges.walking.UPDATES", 20)
    made = {"seed": 0, "learn": learn, "advance": lambda count: None}
    first = walks(log, components, **made, kept=None)
    again = walks(log, components, **made, kept=first.weights)
    assert again.members == first.members
    pictures = log.data.observations[:40]
    for one, other in zip(moved(first, pictures, 1), moved(again, pictures, 1), strict=True):
        assert np.array_equal(one, other)


def test_pictures_that_are_all_the_same_tell_only_what_the_log_earned():
    log = pictures_of(corridor(60, cut=10_000))
    blank = as_log(replace(log, observations=0 * log.observations), GAMMA)
    panel = make_panel(blank, seed=0, learn=False, advance=lambda count: None)
    found = panel.opinions([Always(0)])[0]["simulator"]
    assert np.isfinite(found.value)
