"""Rewards from texts: how an episode ended, by number."""

from __future__ import annotations

import pytest

import deepaveragers as da

COLUMNS = {"episode": "patient", "time": "hour", "action": "drug", "observations": "pulse"}
OUTCOME = {"reward": "outcome", "terminated": "outcome"}
BY_END = {
    "patient": ["ann", "ann", "bob", "bob"],
    "hour": [0, 1, 0, 1],
    "pulse": [80.0, 90.0, 120.0, 130.0],
    "drug": ["none", "low", "low", "none"],
    "outcome": ["", "Discharged", None, "died"],
}


@pytest.mark.parametrize("values", [{"died": -1, "discharged": 1}, "died=-1, discharged=1"])
def test_the_end_of_an_episode_is_its_reward(values):
    data = da.read(BY_END, reward_values=values, **OUTCOME, **COLUMNS)
    assert data.rewards.tolist() == [0, 1, 0, -1]
    assert data.terminations.tolist() == [False, True, False, True]


def test_a_blank_may_cost():
    data = da.read(
        BY_END, reward_values="died=-9,discharged=1", reward_fill=-0.5, **OUTCOME, **COLUMNS
    )
    assert data.rewards.tolist() == [-0.5, 1, -0.5, -9]


def test_an_outcome_in_every_row_counts_once():
    table = {**BY_END, "outcome": ["discharged", "discharged", "died", "died"]}
    data = da.read(table, reward_values="died=-1,discharged=1", **OUTCOME, **COLUMNS)
    assert data.rewards.tolist() == [0, 1, 0, -1]


def test_a_column_of_its_own():
    table = {**BY_END, "judged": ["good", "bad", "good", ""]}
    values = {"good": 1, "bad": -1}
    data = da.read(table, reward="judged", reward_values=values, terminated="outcome", **COLUMNS)
    assert data.rewards.tolist() == [1, -1, 1, 0]


def test_a_text_without_a_number_is_named():
    with pytest.raises(da.InputError, match=r"reward_values.*none for died.*died=0"):
        da.read(BY_END, reward_values={"discharged": 1}, **OUTCOME, **COLUMNS)


COSTS = {**BY_END, "repair cost": [0.0, 30.0, 5.0, None], "end": [0, 1, 0, 1]}
BY_COST = {"reward": "repair cost", "terminated": "end", "reward_fill": 0.0, **COLUMNS}


def test_costs_are_rewards_below_zero():
    reading = da.read_reported(COSTS, reward_scale=-1, **BY_COST)
    assert reading.transitions.rewards.tolist() == [0, -30, -5, 0]
    assert not reading.warnings


def test_costs_that_would_be_sought_get_a_warning():
    reading = da.read_reported(COSTS, **BY_COST)
    assert reading.transitions.rewards.tolist() == [0, 30, 5, 0]
    assert any("reward_scale=-1 (--reward-scale -1)" in one for one in reading.warnings)
