"""Masked arrays: what is under a mask is never taken for data."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da

NAMES = (
    *("observations", "next_observations", "rewards", "actions"),
    *("terminations", "truncations", "episode_ids", "times", "propensities"),
)


@pytest.fixture
def whole(columns):
    more = {"episode_ids": [0, 0, 0, 1, 1, 1], "times": np.arange(6.0), "propensities": [0.5] * 6}
    return {**columns, **more}


def hidden(values, place):
    array = np.ma.masked_array(values)
    array[place] = np.ma.masked
    return array


@pytest.mark.parametrize("name", NAMES)
def test_hidden_entries_are_refused(whole, name):
    with pytest.raises(da.InputError, match=f"{name} must be without masked entries") as caught:
        da.Transitions(**{**whole, name: hidden(whole[name], 2)})
    assert "array.filled" in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_that_hides_nothing_changes_nothing(whole, name):
    data = da.Transitions(**{**whole, name: np.ma.masked_array(whole[name], mask=False)})
    plain = da.Transitions(**whole)
    assert np.array_equal(getattr(data, name), getattr(plain, name))
    assert type(getattr(data, name)) is np.ndarray


def test_rows_in_a_list_may_be_masked(whole):
    rows = [np.ma.masked_array([1.0, 2.0], mask=[False, True]), *np.ones((5, 2))]
    with pytest.raises(da.InputError, match="observations must be without masked entries"):
        da.Transitions(**{**whole, "observations": rows})


def test_parts_of_a_dictionary_may_be_masked(whole):
    parts = {"x": hidden(np.zeros(6), 1), "y": np.zeros(6)}
    with pytest.raises(da.InputError, match="without masked entries"):
        da.Transitions(**{**whole, "observations": parts})


def test_objectives_take_no_masked_arrays(whole):
    mdp = da.compile(da.Transitions(**whole), k=1)
    with pytest.raises(da.InputError, match="rewards must be without masked entries"):
        mdp.solve(rewards=hidden(np.ones(6), 3))
    with pytest.raises(da.InputError, match="action_mask must be without masked entries"):
        mdp.solve(action_mask=hidden(np.ones((6, 2)), 3))
    with pytest.raises(da.InputError, match="policy must be without masked entries"):
        da.policy_values(mdp, hidden(np.zeros(6, int), 3))


def test_encoders_return_no_masked_features(whole):
    with pytest.raises(da.InputError, match="features must be without masked entries"):
        da.compile(da.Transitions(**whole), 1, lambda rows: hidden(rows, (0, 0)))


@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_masked_cells_of_a_table_are_missing(kind):
    table = {"x": np.ma.masked_array(np.arange(4).astype(kind), mask=[False, True, False, False])}
    table |= {"a": [0, 1, 0, 1], "r": [1.0] * 4, "d": [0, 0, 0, 1], "e": [0] * 4}
    roles = {"action": "a", "reward": "r", "terminated": "d", "episode": "e"}
    with pytest.raises(da.InputError, match=r"column 'x'.*row 1"):
        da.read(table, **roles)
    data = da.read(table, **roles, missing="drop")
    assert 1.0 not in data.observations
