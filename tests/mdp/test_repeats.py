"""Where equal states went on differently, few neighbours are luck: compiling says so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.mdp.repeats import chance_share


def cells(slip: float, rows: int = 600) -> da.Transitions:
    """Walk around a ring of six cells; a step goes the other way with a chance."""
    rng = np.random.default_rng(0)
    here = rng.integers(0, 6, rows)
    actions = rng.integers(0, 2, rows)
    way = np.where(rng.random(rows) < slip, 1 - actions, actions)
    there = (here + np.where(way == 1, 1, -1)) % 6
    return da.Transitions(
        observations=np.eye(6)[here],
        actions=actions,
        rewards=np.zeros(rows),
        next_observations=np.eye(6)[there],
        terminations=np.zeros(rows, bool),
    )


def test_chance_behind_few_equal_cases_is_told():
    with pytest.warns(da.DataWarning, match="k=5 neighbours are 5 draws of that chance"):
        da.compile(cells(0.3), 5, da.Identity())


@pytest.mark.parametrize(("slip", "k"), [(0.0, 5), (0.3, 20)])
def test_certain_outcomes_and_many_cases_are_not(slip, k):
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.DataWarning)
        da.compile(cells(slip), k, da.Identity())


def test_the_share_is_that_of_brute_force():
    data = cells(0.05)
    mdp = da.compile(data, 3, da.Identity())
    there = data.next_observations.argmax(axis=1)
    told = [len(set(there[cases])) > 1 for lists in mdp.graph.indices for cases in lists]
    share = chance_share(mdp.graph, mdp.core_features, data.rewards, data.terminations)
    assert 0.0 < share < 1.0
    assert share == pytest.approx(np.mean(told))
