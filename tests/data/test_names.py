"""Names live as long as the data: columns, units, episodes, times, chances."""

from __future__ import annotations

import dataclasses
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da

NAMES = ("age", "lactate", "MAP")
PATIENTS = ["p17", "p3", "ä b", "p17-2"]
PLACES = {"npz": "data.npz", "parquet": "data.parquet", "minari": "data-v0"}
NEEDS = {"npz": "numpy", "parquet": "pyarrow", "minari": "minari"}


def named(times=None, patients=PATIENTS, seed=0):
    """Four patients of three steps each."""
    random = np.random.default_rng(seed)
    states = random.normal(size=(16, 3)).reshape(4, 4, 3)
    return da.Transitions(
        observations=states[:, :-1].reshape(12, 3),
        actions=random.integers(0, 2, 12),
        rewards=random.normal(size=12),
        next_observations=states[:, 1:].reshape(12, 3),
        terminations=np.arange(12) % 3 == 2,
        episode_ids=np.repeat(patients, 3),
        action_names=("none", "low"),
        observation_names=NAMES,
        observation_units={"lactate": "mmol/l"},
        times=times,
        propensities=np.where(np.arange(12) == 5, np.nan, 0.25),
    )


TIMES = {
    "whole": np.arange(12),
    "numbers": np.arange(12) / 8,
    "dates": np.datetime64("2026-01-31T08:15:00", "us") + np.arange(12) * np.timedelta64(1, "h"),
    "some dates": np.where(
        np.arange(12) % 5, np.datetime64("2026-01-31", "us"), np.datetime64("NaT")
    ),
}


def test_what_was_given_is_there():
    data = named(TIMES["whole"])
    assert data.observation_names == NAMES
    assert data.observation_units == ("", "mmol/l", "")
    assert data.episode_names == tuple(PATIENTS)
    assert data.episode_ids.tolist() == np.repeat(range(4), 3).tolist()
    assert [data.episode_name(row) for row in (0, 3, 11)] == ["p17", "p3", "p17-2"]
    assert (data.times.dtype, data.propensities.dtype) == (np.int64, np.float64)
    assert not data.times.flags.writeable
    assert data.column_name(1) == "'lactate'"
    assert data.summary()["observation_names"] == list(NAMES)


def test_names_may_be_missing(columns):
    data = da.Transitions(**columns)
    for name in (
        "observation_names",
        "observation_units",
        "episode_names",
        "times",
        "propensities",
    ):
        assert getattr(data, name) is None
    assert (data.column_name(1), data.episode_name(0)) == ("1", "0")


def test_a_dataframe_and_a_dictionary_bring_their_names(columns):
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    for kind in (pd.DataFrame, pl.DataFrame):
        frames = {
            name: kind(dict(zip(("x", "v"), columns[name].T, strict=True)))
            for name in ("observations", "next_observations")
        }
        assert da.Transitions(**{**columns, **frames}).observation_names == ("x", "v")
    parts = {"b": np.zeros((6, 2)), "a": {"z": np.arange(6), "y": np.zeros((6, 1))}}
    data = da.Transitions(**{**columns, "observations": parts, "next_observations": parts})
    assert data.observation_names == ("a.y", "a.z", "b[0]", "b[1]")
    assert data.observations[3].tolist() == [0.0, 3.0, 0.0, 0.0]


def test_dates_are_dates(columns):
    moments = [datetime(2026, 1, 31, 8, minute) for minute in range(6)]
    data = da.Transitions(**{**columns, "times": moments})
    assert data.times.dtype == "datetime64[us]"
    assert data.times[5] == np.datetime64("2026-01-31T08:05")


@given(st.lists(st.integers(-12, 11), min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_rows_keep_their_names(rows):
    data = named(TIMES["dates"])
    part = data.subset(rows)
    assert [part.episode_name(place) for place in range(len(rows))] == [
        data.episode_name(row) for row in rows
    ]
    assert (part.observation_names, part.observation_units) == (NAMES, data.observation_units)
    assert np.array_equal(part.times, data.times[rows])
    assert np.array_equal(part.propensities, data.propensities[rows], equal_nan=True)
    assert len(part.episode_names) == len(set(part.episode_ids.tolist()))


@pytest.mark.slow
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("format", [*NEEDS, "bundle"])
def test_names_come_back_from_files(tmp_path, times, format, same):
    data = named(TIMES[times])
    if format == "bundle":
        same(da.load(da.save(data, tmp_path / "data")), data)
        mdp = da.compile(data, 2)
        same(da.load(da.save(mdp.solve(), tmp_path / "plan")).mdp.transitions, data)
        return
    pytest.importorskip(NEEDS[format])
    same(da.read(da.write(data, tmp_path / PLACES[format])), data)


@pytest.mark.parametrize("format", NEEDS)
def test_split_episodes_and_few_names_come_back(tmp_path, format, same):
    pytest.importorskip(NEEDS[format])
    data = da.Transitions(
        observations=np.arange(4.0)[:, None],
        actions=[0, 1, 0, 1],
        rewards=np.zeros(4),
        next_observations=np.arange(1.0, 5.0)[:, None],
        terminations=[0, 0, 0, 0],
        episode_ids=[5, 5, -2, 9],
        episode_names=["b", "a", "a"],
    )
    assert [data.episode_name(row) for row in range(4)] == ["a", "a", "b", "a"]
    same(da.read(da.write(data, tmp_path / PLACES[format])), data)


def test_forget_takes_the_ids_of_the_log(tmp_path):
    data = named()
    left = da.forget(data, "p17")
    assert left.episode_names == ("p3", "ä b", "p17-2")
    assert len(left) == 9
    assert da.forget(data, ["p3", "ä b"]).episode_names == ("p17", "p17-2")
    da.save(da.compile(data, 2), tmp_path / "model")
    assert da.forget(tmp_path / "model", "p3").transitions.episode_names == ("p17", "ä b", "p17-2")
    stored = b"".join(file.read_bytes() for file in (tmp_path / "model").iterdir())
    assert b"p3" not in stored
    with pytest.raises(da.InputError, match=r"as the log has them: 'p17', 'p3'.*received 'p18'"):
        da.forget(data, "p18")


def test_numbers_are_names_where_the_log_has_numbers():
    data = named(patients=["40", "0", "3", "7"])
    assert da.forget(data, 0).episode_names == ("40", "3", "7")
    assert da.forget(data, np.array([3, 40])).episode_names == ("0", "7")


def test_an_episode_that_was_split_is_forgotten_whole():
    data = named(patients=["a", "b", "c", "d"])
    both = da.append(data, named(patients=["b", "x", "y", "z"], seed=1))
    assert both.episode_names == ("a", "b", "c", "d", "b", "x", "y", "z")
    assert da.forget(both, "b").episode_names == ("a", "c", "d", "x", "y", "z")


def test_a_repair_that_splits_episodes_keeps_their_names():
    data = named()
    marked = dataclasses.replace(data, terminations=np.arange(12) % 3 == 1)
    repaired = da.repair(marked).transitions
    assert repaired.num_episodes > 4
    assert set(repaired.episode_names) == set(PATIENTS)
    assert repaired.observation_names == NAMES


@given(st.permutations(range(3)))
@settings(max_examples=6, deadline=None)
def test_append_matches_columns_by_name(order):
    data, new = named(), named(TIMES["dates"], seed=1)
    shuffled = da.Transitions(
        observations=new.observations[:, order],
        actions=new.actions,
        rewards=new.rewards,
        next_observations=new.next_observations[:, order],
        terminations=new.terminations,
        action_names=new.action_names,
        observation_names=[NAMES[place] for place in order],
    )
    both = da.append(data, shuffled)
    assert np.array_equal(both.observations[12:], new.observations)
    assert np.array_equal(both.next_observations[12:], new.next_observations)
    assert both.observation_names == NAMES
    assert both.episode_names[4:] == ("0", "1", "2", "3")
    assert both.times is None
    assert np.isnan(both.propensities[12:]).all()
    dated = da.append(data, new)
    assert np.isnat(dated.times[:12]).all()
    assert np.array_equal(dated.times[12:], new.times)


def test_append_refuses_other_columns_units_and_times():
    data = named(TIMES["dates"])
    fields = {name: getattr(data, name) for name in ("observations", "next_observations")}
    fields |= {"actions": data.actions, "rewards": data.rewards, "terminations": data.terminations}
    fields |= {"action_names": data.action_names}
    other = da.Transitions(**fields, observation_names=("age", "lactate", "map"))
    with pytest.raises(da.InputError, match="without 'MAP', with 'map'"):
        da.append(data, other)
    other = da.Transitions(
        **fields, observation_names=NAMES, observation_units={"lactate": "mg/dl"}
    )
    with pytest.raises(da.InputError, match="'lactate' in mmol/l; received in mg/dl"):
        da.append(data, other)
    other = da.Transitions(**fields, times=np.arange(12))
    with pytest.raises(da.InputError, match="times like the target's; received dates and numbers"):
        da.append(data, other)
    assert da.append(data, da.Transitions(**fields)).observation_names == NAMES
