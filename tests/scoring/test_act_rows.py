"""`dac act` where actions are rows: a column for each number, bit for bit with Python."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.driving import driving
from tests.scoring.test_act import act, as_csv, read_csv

import deepaveragers as da

NAMES = ("throttle", "steering")


@pytest.fixture(scope="module")
def policy():
    plan = da.compile(driving(), 3).solve(gamma=0.9)
    return plan.policy(support_threshold=0.05, fallback=[-0.5, 0.0])


@pytest.fixture(scope="module")
def cars():
    rows = np.random.default_rng(3).uniform(0, 1, (70, 2)) * [35, 70]
    return [
        {"car": f"c{place}", "gap": gap, "speed": speed, "throttle": 9.0}
        for place, (speed, gap) in enumerate(rows.tolist())
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_column_for_each_number(ending, policy, cars, tmp_path):
    da.save(policy, tmp_path / "policy")
    out = tmp_path / f"out.{ending}"
    assert act(tmp_path / "policy", as_csv(cars, tmp_path / "in.csv"), "-o", out) == 0
    if ending == "csv":
        found = read_csv(out)
    elif ending == "jsonl":
        found = [json.loads(line) for line in out.read_text().splitlines()]
    else:
        found = pytest.importorskip("pyarrow.parquet").read_table(out).to_pylist()
    wanted = policy.decide([{"speed": car["speed"], "gap": car["gap"]} for car in cars])
    assert list(found[0]) == [
        "row", "car", "input_throttle", *NAMES, "value", "support", "abstained", "plan",
    ]  # fmt: skip
    for place, name in enumerate(NAMES):
        numbers = np.array([float(row[name]) for row in found])
        assert np.array_equal(numbers, wanted.actions[:, place].astype(np.float64))
    assert np.array_equal([float(row["value"]) for row in found], wanted.values)
    assert np.array_equal([float(row["support"]) for row in found], wanted.support)
    assert [str(row["abstained"]) for row in found] == [str(one) for one in wanted.abstained]
    assert wanted.abstained.any()
    assert {row["plan"] for row in found} == {policy.compact().digest}


@pytest.mark.slow
def test_names_that_are_taken(tmp_path):
    data = driving()
    named = da.Transitions(
        observations=data.observations,
        actions=data.actions,
        rewards=data.rewards,
        next_observations=data.next_observations,
        terminations=data.terminations,
        action_names=("value", "steering"),
        observation_names=data.observation_names,
    )
    da.save(da.compile(named, 3).solve(gamma=0.9), tmp_path / "plan")
    source = as_csv([{"speed": 3.0, "gap": 12.0}], tmp_path / "in.csv")
    assert act(tmp_path / "plan", source, "-o", tmp_path / "out.csv") == 0
    (row,) = read_csv(tmp_path / "out.csv")
    assert list(row)[:4] == ["row", "action_value", "steering", "value"]
