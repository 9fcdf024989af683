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


def far_successor(value, row=-1, **changes):
    """Return sound data in which one s' has one absurd value; its s is as it was."""
    random = np.random.default_rng(2)
    fields = {
        "observations": random.normal(size=(ROWS, 3)),
        "next_observations": random.normal(size=(ROWS, 3)),
        "actions": np.arange(ROWS) % 2,
        "rewards": random.random(ROWS),
        "terminations": np.zeros(ROWS, bool),
        "truncations": np.ones(ROWS, bool),
    } | changes
    fields["next_observations"][row, 1] = value
    return da.Transitions(**fields)


@pytest.mark.parametrize("value", [1e4, -1e6, 1e9])
def test_a_successor_far_from_all_observations_is_named(value):
    with pytest.warns(da.DataWarning) as said:
        far = da.compile(far_successor(value, 77), 3)
    assert len(said) == 1
    sentence = str(said[0].message)
    assert sentence.startswith(f"Next observation 77 is {value:g} in column 1, absurdly far")
    assert "leave such rows out" in sentence
    assert said[0].filename == __file__
    # What it warns of: a thousandth of its distance is more than any other.
    distances = far.graph.distances.reshape(ROWS, -1)
    assert distances[77].min() > 1000 * np.delete(distances, 77, axis=0).max()


def test_further_such_successors_are_counted():
    data = far_successor(1e6, [3, 8, 9])
    with pytest.warns(da.DataWarning, match=r"^Next observation 3 .*and so in 2 more rows"):
        da.compile(data, 2)


def test_a_feature_is_named_where_columns_are_not_those_of_the_data():
    with pytest.warns(da.DataWarning, match=r"Next observation 5 has 2e\+06 as feature 0"):
        da.compile(far_successor(1e6, 5), 2, encoder=lambda batch: 2 * batch[:, 1:])


def test_a_terminal_successor_costs_nothing_wherever_it_lies():
    ended = np.arange(ROWS) == 77
    data = far_successor(1e6, 77, terminations=ended, truncations=~ended)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = da.compile(data, 3).solve()
    assert plan.error < 0.1 / (1.0 - da.Objective().gamma)


@pytest.mark.parametrize("size", [30, ROWS, 30_000])
@pytest.mark.parametrize("encoder", [None, da.Identity()])
def test_heavy_tails_of_successors_and_rewards_are_no_alarm(size, encoder):
    random = np.random.default_rng(3)

    def states():
        flag = (random.random(size) < 0.001).astype(float)
        tails = [random.standard_t(3, size), random.lognormal(0.0, 2.0, size)]
        return np.column_stack([*tails, flag, np.full(size, 7.0)])

    here, later = states(), states()
    later[-1, 3] = 8.0  # only ever in s', as a mark of the end may be
    for rewards in (random.lognormal(0.0, 2.0, size), np.arange(size) == 3):
        data = da.Transitions(
            observations=here,
            next_observations=later,
            actions=np.arange(size) % 2,
            rewards=rewards,
            terminations=np.zeros(size, bool),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            da.compile(data, 2, encoder)


def test_an_absurd_reward_is_named():
    rewards = np.random.default_rng(4).normal(size=ROWS)
    rewards[41] = -1e9
    with pytest.warns(
        da.DataWarning, match=r"^Reward 41 is -1e\+09, over a thousand times"
    ) as said:
        da.compile(far_successor(0.0, rewards=rewards), 2)
    assert len(said) == 1
    assert said[0].filename == __file__


def test_append_says_it_of_new_rows_only():
    mdp = da.compile(far_successor(0.0), 2)
    with pytest.warns(da.DataWarning, match=f"^Next observation {ROWS + 4} is 1e\\+06") as said:
        longer = da.append(mdp, far_successor(1e6, 4))
    assert len(said) == 1
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.append(longer, far_successor(0.0))


BEYOND = r"within \+-1e\+36.*; received .*e\+\d+"


@pytest.mark.parametrize("value", [1e39, -1e200, 1.7e308])
@pytest.mark.parametrize("ended", [True, False])
def test_numbers_beyond_float32_are_refused_without_a_warning(value, ended):
    ends = np.full(ROWS, ended)
    far = far_successor(value, 9, terminations=ends, truncations=~ends)
    mdp = da.compile(far_successor(0.0), 2)
    policy = mdp.solve().policy(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(da.InputError, match=f"^core_features must be {BEYOND} in row 9"):
            da.compile(far, 2)
        with pytest.raises(da.InputError, match=f"^core_features of .* {BEYOND} in row 9"):
            da.append(mdp, far)
        for asked in (policy.act, policy.explain):
            with pytest.raises(da.InputError, match=rf"^observation must be {BEYOND} as a feature"):
                asked([value, 0.0, 0.0])


def test_the_command_line_refuses_them_in_one_line(tmp_path, capsys):
    da.save(far_successor(1e39, 9), tmp_path / "data")
    with pytest.raises(SystemExit) as leaving:
        main(["compile", str(tmp_path / "data"), "-o", str(tmp_path / "model")])
    assert leaving.value.code == 2
    assert capsys.readouterr().err.splitlines()[0].startswith("dac: core_features must be within")


@pytest.mark.parametrize("value", [1e200, 1.7e308])
def test_a_column_without_a_finite_deviation_becomes_0(value):
    data = far_successor(0.0)
    states = data.observations.copy()
    states[:3, 1] = value
    with pytest.warns(da.DataWarning, match="^Observation column 1 has values") as said:
        fitted = da.Standardize().fit(states)
    assert len(said) == 1
    assert not fitted.encode(np.full((1, 3), -value))[:, 1].any()


@pytest.mark.slow
@pytest.mark.parametrize("value", [1e39, 1e200, 1.7e308])
@pytest.mark.parametrize("place", ["observations", "next_observations", "rewards"])
def test_the_doctor_is_not_put_off_by_any_number(value, place, tmp_path):
    """The leak beside it is found, and the number is: without a word on standard error."""
    sound = far_successor(0.0)
    columns = {name: getattr(sound, name).copy() for name in ("observations", "next_observations")}
    columns["rewards"] = columns["observations"][:, 0].copy()
    for row, sign in ((5, 1.0), (6, -1.0), (7, 1.0)):
        columns[place].reshape(ROWS, -1)[row, -1] = sign * value
    columns["episode_ids"] = np.zeros(ROWS, int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        diagnosis = da.diagnose(far_successor(0.0, **columns))
        assert diagnosis.text()
        assert diagnosis.summary()
        da.write_report(diagnosis, tmp_path / "report.html")
    codes = {finding.code for finding in diagnosis.findings}
    assert codes & {"outlier", "missing_value_code", "reward_spike"}
    assert place == "rewards" or "leaks_reward" in codes


def test_masked_numbers_are_no_numbers():
    with pytest.raises(da.InputError, match="gamma"):
        da.Objective(gamma=np.ma.masked)
