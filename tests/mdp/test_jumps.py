"""Where neighbours are farther away than a step leads, compiling says so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.mdp.jumps import jump_ratio


def crawl(step: float, ends: bool = False) -> da.Transitions:
    """Walk in a square, each step so long, from 200 places."""
    rng = np.random.default_rng(0)
    states = rng.uniform(size=(200, 2))
    angles = rng.uniform(0, 2 * np.pi, 200)
    moves = step * np.column_stack([np.cos(angles), np.sin(angles)])
    return da.Transitions(
        observations=states,
        actions=rng.integers(0, 2, 200),
        rewards=np.zeros(200),
        next_observations=states + moves,
        terminations=np.full(200, ends),
    )


def test_far_neighbours_are_told():
    with pytest.warns(da.DataWarning, match="times as far away as one step leads"):
        da.compile(crawl(0.001), 3, da.Identity())


@pytest.mark.parametrize("data", [crawl(0.5), crawl(0.001, ends=True), crawl(0.0)])
def test_near_neighbours_and_single_steps_are_not(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.DataWarning)
        da.compile(data, 3, da.Identity())


def test_the_ratio_is_that_of_the_medians():
    data = crawl(0.25)
    mdp = da.compile(data, 3, da.Identity())
    ended = data.terminations
    ratio = jump_ratio(mdp.graph, mdp.source_features, mdp.core_features, ended)
    assert ratio == pytest.approx(np.median(mdp.graph.distances) / 0.25, rel=1e-5)


def test_the_best_logged_return_stands_beside_the_values(plan, cartpole):
    returns = np.zeros(len(cartpole) + 1)
    for row in reversed(range(len(cartpole))):
        ends = cartpole.terminations[row] or cartpole.truncations[row]
        returns[row] = 1.0 + (0.0 if ends else 0.99 * returns[row + 1])
    assert plan.best_logged_return == pytest.approx(returns.max())
    assert plan.summary()["best_logged_return"] == plan.best_logged_return


def test_the_best_logged_return_pays_the_prices_of_actions(plan, cartpole):
    dear = plan.mdp.solve(action_penalties=[0.0, 3.0])
    returns = np.zeros(len(cartpole) + 1)
    for row in reversed(range(len(cartpole))):
        ends = cartpole.terminations[row] or cartpole.truncations[row]
        earned = 1.0 - 3.0 * cartpole.actions[row]
        returns[row] = earned + (0.0 if ends else 0.99 * returns[row + 1])
    assert dear.best_logged_return == pytest.approx(returns[:-1].max())
    assert dear.best_logged_return < plan.best_logged_return
