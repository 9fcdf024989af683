"""A value far out that takes its column out of all distances is said when compiling."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli import main

ROWS = 400


def logged(columns):
    states = np.column_stack(columns)
    return da.Transitions(
        observations=states[:-1],
        actions=np.arange(len(states) - 1) % 2,
        rewards=np.ones(len(states) - 1),
        next_observations=states[1:],
        terminations=np.zeros(len(states) - 1, bool),
        episode_ids=np.zeros(len(states) - 1, int),
    )


def with_one(value):
    random = np.random.default_rng(0)
    columns = random.normal(size=(2, ROWS))
    columns[1, 37] = value
    return logged(columns)


@pytest.mark.parametrize("value", [1e9, -1e9, 1e300])
def test_one_value_far_out_is_named(value):
    data = with_one(value)
    with pytest.warns(da.DataWarning) as said:
        mdp = da.compile(data, 2)
    assert len(said) == 1
    sentence = str(said[0].message)
    assert sentence.startswith(f"Observation column 1 has values as far out as {value:g}, while")
    assert "leave such rows out" in sentence
    assert said[0].filename == __file__
    # What it warns of: without that row, nothing is left of the column.
    assert np.ptp(np.delete(mdp.source_features[:, 1], 37)) < 1e-4


def test_the_rest_of_such_columns_is_counted():
    columns = np.random.default_rng(0).normal(size=(3, ROWS))
    columns[:, 5] = 1e9
    with pytest.warns(da.DataWarning, match=r"column 0 .*and so in 2 more columns"):
        da.compile(logged(columns), 2)


@pytest.mark.parametrize("size", [30, ROWS, 30_000])
def test_ordinary_data_are_no_alarm(size):
    random = np.random.default_rng(1)
    columns = [
        random.normal(size=size),
        random.exponential(size=size),
        random.standard_t(2, size=size),
        random.lognormal(0.0, 2.0, size=size),
        (random.random(size) < 0.01).astype(float),
        np.where(random.random(size) < 0.1, random.normal(0.0, 20.0, size), random.random(size)),
        np.arange(size),
        np.full(size, 1e9),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.Standardize().fit(np.column_stack(columns))


def test_the_doctor_has_it_as_a_finding_only():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = da.diagnose(with_one(1e9)).findings
    assert "outlier" in [finding.code for finding in found]


def test_the_command_line_says_it_in_one_line(tmp_path, capsys):
    da.save(with_one(1e9), tmp_path / "data")
    words = ["compile", str(tmp_path / "data"), "-o", str(tmp_path / "model"), "--k", "2", "--json"]
    with pytest.raises(SystemExit) as leaving:
        main(words)
    output = capsys.readouterr()
    assert not leaving.value.code
    assert json.loads(output.out)["core_states"] == ROWS - 1
    assert output.err.count("\n") == 1
    assert output.err.startswith("dac: Observation column 1 has values as far out as 1e+09")
