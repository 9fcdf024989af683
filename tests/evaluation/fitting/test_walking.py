"""Walks over logged pictures: what they are worth, and what they do not believe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepaveragers.data.returns import returns_to_go
from deepaveragers.evaluation.fitting.folds import as_log
from deepaveragers.evaluation.fitting.judges.panel import make_panel
from deepaveragers.evaluation.fitting.judges.playing import play
from deepaveragers.evaluation.fitting.judges.walking import Remembered, WalkSimulator, walks
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


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_where_pictures_tell_everything_a_walk_is_worth_what_the_world_is(noise):
    """The same pictures are drawn alike, so that no member believes the luck of the first ones."""
    truth, found = corridor_value(1.0, noise=noise), []
    for seed in range(6):
        log = as_log(pictures_of(corridor(150, seed=seed, noise=noise, cut=10_000)), GAMMA)
        walk = WalkSimulator(log, fit_picture_components(log.data.observations), seed=seed)
        starts = log.data.observations[log.first]
        (returns,), _ = play(walk, [Always(1)], starts, gamma=GAMMA, worst=0.0, seed=seed)
        found.append(returns.mean())
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - truth) < 0.01 + 3 * error
    assert error < 0.05 * truth


def test_a_state_shows_the_logged_picture_that_it_is(log, walk):
    shown = walk.observations(walk.states(log.data.observations[:40]))
    assert np.array_equal(shown, log.data.observations[:40])
    after = moved(walk, log.data.observations[:40], 1)
    known = {picture.tobytes() for picture in log.data.next_observations}
    assert {picture.tobytes() for picture in walk.observations(after.states)} <= known


def test_an_action_that_was_never_logged_ends_with_the_least_return(components):
    log = as_log(pictures_of(corridor(50, right=1.0)), GAMMA)
    paid = as_log(replace(log.data, rewards=log.data.rewards - 3.0), GAMMA)
    walk = WalkSimulator(paid, components, seed=0)
    step = moved(walk, paid.data.observations[:4], 0)
    assert np.all(step.rewards == returns_to_go(paid.data, GAMMA).min())
    assert step.ended.all()
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


def test_an_actor_is_asked_of_each_picture_once(log):
    asked = []

    class Counts:
        def act(self, observations):
            asked.append(len(observations))
            return np.arange(sum(asked) - asked[-1], sum(asked))

    pictures = log.data.observations[:30]
    distinct = len({one.tobytes() for one in pictures})
    remembered = Remembered(Counts())
    first = remembered.act(pictures)
    assert asked == [distinct]
    assert np.array_equal(remembered.act(pictures[::-1]), first[::-1])
    assert asked == [distinct]


def test_pictures_that_are_all_the_same_are_worth_what_the_log_earned():
    log = pictures_of(corridor(200, cut=10_000))
    same = 0 * log.observations
    blank = as_log(replace(log, observations=same, next_observations=same), GAMMA)
    panel = make_panel(blank, seed=0, learn=False, advance=lambda count: None)
    starts = blank.data.observations[np.tile(blank.first, 4)]
    anything = Anything(np.random.default_rng(0))
    (returns,), _ = play(panel.simulator, [anything], starts, gamma=GAMMA, worst=0.0, seed=0)
    error = returns.std() / np.sqrt(len(blank))
    assert abs(returns.mean() - panel.behaviour.mean()) < 3 * error


class Anything:
    def __init__(self, random):
        self.random = random

    def act(self, observations):
        return self.random.integers(2, size=len(observations))
