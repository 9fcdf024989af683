"""Bundles with right checksums and contents that nothing here could have made are refused."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.storage.bundle import read_bundle, write_bundle


def forged(record, path, settings=None, arrays=None):
    """Save a record with some settings and arrays replaced, checksums and all."""
    contents = read_bundle(da.save(record, path))
    changed = copy.deepcopy(dict(contents.settings))
    for place, value in (settings or {}).items():
        *folders, last = place.split("/")
        inner = changed
        for folder in folders:
            inner = inner[folder]
        inner[last] = value
    held = {name: array.copy() for name, array in contents.arrays.items()}
    for name, change in (arrays or {}).items():
        held[name] = change(held[name])
    return write_bundle(replace(contents, settings=changed, arrays=held), path)


def refused(path):
    with pytest.raises(da.BundleError, match="is damaged") as caught:
        da.load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"below": -5.0, "above": -5.0},
        {"below": "a"},
        {"above": None},
        {"above": True},
        {"tolerance": 0.0},
        {"tolerance": [1e-3]},
        {"status": "perfect"},
        {"status": 1},
        {"residual": -1e-9},
        {"sweeps": -1},
        {"sweeps": 2.5},
        {"seconds": -1.0},
        {"seconds": "fast"},
        {"policy_below": -1.0},
        {"policy_below": {}},
        {"objective/gamma": 1.5},
        {"objective/cost": -1.0},
        {"objective/k": 99},
        {"objective/forbidden_actions": ["jump"]},
        {"objective/forbidden_actions": [0, 1]},
        {"objective/action_penalties": [1.0, 2.0, 3.0]},
        {"model/search/recall": 2.0},
        {"model/search/seconds": None},
        {"model/search/peak_bytes": -1},
        {"model/search/engine": 7},
        {"model/search/notes": [1]},
        {"model/transitions/action_names": ["a"]},
    ],
    ids=str,
)
def test_settings_of_a_plan(records, tmp_path, settings):
    refused(forged(records["plan"], tmp_path / "plan", settings))


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("values", lambda array: array[:-1]),
        ("values", lambda array: array[:, None]),
        ("values", lambda array: array.astype(np.float32)),
        ("values", lambda array: array.astype(np.int64)),
        ("values", put(0, np.nan)),
        ("values", put(0, np.inf)),
        ("values", lambda array: array + 5.0),
        ("q_values", lambda array: array.T.copy()),
        ("q_values", put((0, 0), np.nan)),
        ("q_values", put((0, 0), np.inf)),
        ("q_values", put((0, 0), -np.inf)),
        ("q_values", lambda array: array - 5.0),
        ("model.graph.indices", put((0, 0, 0), 40)),
        ("model.graph.indices", put((0, 0, 0), -2)),
        ("model.graph.indices", put((0, 0, 0), -1)),
        ("model.graph.indices", lambda array: array[:, :, :0]),
        ("model.graph.indices", lambda array: array.astype(np.int64)),
        ("model.graph.distances", put((0, 0, 0), -1.0)),
        ("model.graph.distances", put((0, 0, 0), np.nan)),
        ("model.graph.distances", put((0, 0, 1), np.inf)),
        ("model.graph.distances", lambda array: array[:, :, ::-1].copy()),
        ("model.graph.distances", lambda array: array[:, :, :1]),
        ("model.source_features", put((0, 0), np.nan)),
        ("model.core_features", put((3, 1), np.inf)),
        ("model.core_features", lambda array: array[:, :2]),
        ("model.core_features", lambda array: array.astype(np.int32)),
        ("model.encoder.mean", lambda array: array[:2]),
        ("model.encoder.mean", put(0, np.nan)),
        ("model.encoder.scale", put(0, np.inf)),
        ("model.encoder.scale", put(0, -1.0)),
        ("model.transitions.rewards", put(0, np.nan)),
        ("model.transitions.actions", put(0, 7)),
        ("model.transitions.terminations", lambda array: array[1:]),
    ],
)
def test_arrays_of_a_plan(records, tmp_path, name, change):
    refused(forged(records["plan"], tmp_path / "plan", arrays={name: change}))


@pytest.mark.parametrize("field", ["rewards", "action_mask"])
def test_arrays_of_an_objective(records, tmp_path, field):
    mdp = records["model"]
    given = {"rewards": np.ones(40), "action_mask": np.ones((40, 2), bool)}[field]
    plan = mdp.solve(gamma=0.9, **{field: given})
    path = forged(plan, tmp_path / "plan", arrays={f"objective.{field}": lambda array: array[:-1]})
    refused(path)


def test_an_ended_episode_has_no_value(tmp_path):
    plan = da.compile(da.collect("CartPole-v1", steps=600, seed=0), k=2).solve(gamma=0.9)
    ended = int(np.flatnonzero(plan.mdp.transitions.terminations)[0])
    refused(forged(plan, tmp_path / "plan", arrays={"values": put(ended, 1.0)}))
    refused(forged(plan, tmp_path / "plan", arrays={"q_values": put((ended, 0), 1.0)}))


@pytest.mark.parametrize(
    "fields",
    [
        {"slip": 0.3},
        {"worst_case": 0.4},
        {"horizon": 3},
        {"forbidden_actions": [0]},
        {"action_penalties": {0: 1.0}},
        {"penalty": "adaptive", "k": 1},
        {"rewards": np.linspace(-1.0, 1.0, 40)},
        {"cost": 1e6},
        {"rewards": np.linspace(-1e-50, 1e-50, 40), "cost": 0.0},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_plans_of_every_objective_are_possible(records, tmp_path, equal, fields):
    plan = records["model"].solve(gamma=0.9, **fields)
    assert equal(da.load(da.save(plan, tmp_path / "plan")), plan)


def test_a_plan_that_was_stopped_is_possible(records, tmp_path, equal):
    plan = records["model"].solve(gamma=0.999, max_sweeps=1, method="value_iteration")
    assert equal(da.load(da.save(plan, tmp_path / "plan")), plan)
