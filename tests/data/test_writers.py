"""What is written comes back, value by value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.data.reading import read, read_reported
from deepaveragers.data.writing import write
from deepaveragers.errors import InputError, StorageError

NEEDS = {"npz": "numpy", "parquet": "pyarrow", "minari": "minari"}
PLACES = {"npz": "data.npz", "parquet": "data.parquet", "minari": "data-v0"}


@pytest.mark.parametrize("format", NEEDS)
@pytest.mark.parametrize("which", ["cartpole", "broken_chains"])
def test_round_trip(tmp_path, format, which, request, same):
    pytest.importorskip(NEEDS[format])
    data = request.getfixturevalue(which)
    path = write(data, tmp_path / "new" / PLACES[format])
    same(read(path), data)
    assert [child.name for child in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("format", NEEDS)
def test_relative_paths(tmp_path, monkeypatch, format, cartpole, same):
    pytest.importorskip(NEEDS[format])
    monkeypatch.chdir(tmp_path)
    same(read(write(cartpole, PLACES[format])), cartpole)


@pytest.mark.parametrize("format", NEEDS)
def test_double_precision_and_extreme_numbers_survive(tmp_path, format, same):
    pytest.importorskip(NEEDS[format])
    random = np.random.default_rng(0)
    values = random.normal(size=(9, 2)) * 10.0 ** random.integers(-300, 300, size=(9, 2))
    data = da.Transitions(
        observations=values[:-1],
        actions=[0, 1, 0, 1, 0, 1, 0, 1],
        rewards=values[:-1, 0],
        next_observations=values[1:],
        terminations=[0, 0, 0, 1, 0, 0, 0, 0],
        episode_ids=[2**62] * 8,
    )
    same(read(write(data, tmp_path / PLACES[format])), data)


def test_minari_opens_what_we_wrote(tmp_path, cartpole, same):
    minari = pytest.importorskip("minari")
    path = write(cartpole, tmp_path / "pole-v0")
    dataset = minari.MinariDataset(str(path / "data"))
    assert dataset.total_steps == len(cartpole)
    assert dataset.total_episodes == cartpole.num_episodes
    for episode, rows in zip(dataset.iterate_episodes(), cartpole.episodes(), strict=True):
        assert np.array_equal(episode.observations[:-1], cartpole.observations[rows])
        assert np.array_equal(episode.observations[1:], cartpole.next_observations[rows])
        assert np.array_equal(episode.actions, cartpole.actions[rows])
        assert np.array_equal(episode.rewards, cartpole.rewards[rows])
        assert np.array_equal(episode.terminations, cartpole.terminations[rows])
    same(read(dataset), cartpole)
    long = dataset.filter_episodes(lambda episode: len(episode.rewards) > 20)
    kept = {
        int(cartpole.episode_ids[rows.start])
        for rows in cartpole.episodes()
        if rows.stop - rows.start > 20
    }
    assert set(read(long).episode_ids.tolist()) == kept


def test_pandas_reads_our_parquet(tmp_path, cartpole):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.read_parquet(write(cartpole, tmp_path / "pole.parquet"))
    assert frame["action_name"].tolist() == [cartpole.action_names[a] for a in cartpole.actions]
    assert np.array_equal(np.stack(frame["observation"]), cartpole.observations)


def test_our_parquet_is_also_a_table(tmp_path, cartpole, same):
    pytest.importorskip("pyarrow")
    path = write(cartpole, tmp_path / "pole.parquet")
    columns = {
        "episode": "episode",
        "observations": "observation",
        "next_observations": "next_observation",
        "action": "action",
        "reward": "reward",
        "terminated": "terminated",
        "truncated": "truncated",
    }
    names = tuple(f"observation[{place}]" for place in range(4))
    episodes = tuple(map(str, np.unique(cartpole.episode_ids)))
    named = replace(cartpole, observation_names=names, episode_names=episodes)
    same(read(path, **columns), named)
    assert read_reported(path).notes == ("it names its own columns",)


def test_refusals(tmp_path, cartpole):
    with pytest.raises(InputError, match="format must be"):
        write(cartpole, tmp_path / "x", "pickle")
    with pytest.raises(InputError, match="data must be Transitions"):
        write("nothing", tmp_path / "x.npz")
    with pytest.raises(StorageError, match="is a directory"):
        write(cartpole, tmp_path, "npz")
    pytest.importorskip("minari")
    with pytest.raises(InputError, match="walks-v0"):
        write(cartpole, tmp_path / "no version", "minari")
    (tmp_path / "there-v0").mkdir()
    with pytest.raises(StorageError, match="exists already"):
        write(cartpole, tmp_path / "there-v0")
