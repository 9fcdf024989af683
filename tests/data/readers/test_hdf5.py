"""D4RL's and d3rlpy's files, made by the real libraries, are read value by value."""

from __future__ import annotations

import numpy as np
import pytest

from deepaveragers.data.reading import read, read_reported
from deepaveragers.errors import InputError


def write_hdf5(path, arrays, **options):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            file.create_dataset(name, data=values, **options)
    return path


def test_d4rl(tmp_path, flat_arrays):
    path = write_hdf5(
        tmp_path / "a.hdf5", {**flat_arrays, "infos/qpos": np.zeros(3)}, compression="gzip"
    )
    reading = read_reported(path)
    data = reading.transitions
    kept = [0, 1, 2, 3, 4, 5, 7, 8]
    assert reading.format == "d4rl"
    assert np.array_equal(data.observations, flat_arrays["observations"][kept])
    assert np.array_equal(
        data.next_observations, flat_arrays["observations"][[1, 2, 3, 3, 5, 6, 8, 9]]
    )
    assert np.array_equal(data.actions, flat_arrays["actions"][kept])
    assert np.array_equal(data.rewards, flat_arrays["rewards"][kept].astype(float))
    assert data.terminations.tolist() == [False] * 3 + [True] + [False] * 4
    assert data.truncations.tolist() == [False] * 5 + [True, False, True]
    assert data.episode_ids.tolist() == [0] * 4 + [1] * 2 + [2] * 2


def test_d4rl_with_next_observations(tmp_path, flat_arrays):
    following = flat_arrays["observations"] + 1
    path = write_hdf5(tmp_path / "a.hdf5", {**flat_arrays, "next_observations": following})
    data = read(path)
    assert np.array_equal(data.next_observations, following)
    assert np.array_equal(data.terminations, flat_arrays["terminals"])
    assert np.array_equal(data.truncations, flat_arrays["timeouts"])


def test_hdf5_links_and_lies_are_refused(tmp_path, flat_arrays):
    h5py = pytest.importorskip("h5py")
    write_hdf5(tmp_path / "other.hdf5", flat_arrays)
    path = write_hdf5(tmp_path / "a.hdf5", {k: v for k, v in flat_arrays.items() if k != "rewards"})
    with h5py.File(path, "a") as file:
        file["rewards"] = h5py.ExternalLink(str(tmp_path / "other.hdf5"), "rewards")
    with pytest.raises(InputError, match="part of the file itself"):
        read(path)
    with h5py.File(path, "a") as file:
        del file["rewards"]
        file.create_dataset("rewards", shape=(10**13,), dtype="f8", chunks=(1000,))
    with pytest.raises(InputError, match="no larger than what is stored"):
        read(path)
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(InputError, match="whole HDF5 file"):
        read(path)


def d3rlpy_dataset(flat_arrays):
    d3rlpy = pytest.importorskip("d3rlpy")
    return d3rlpy.dataset.MDPDataset(
        flat_arrays["observations"],
        flat_arrays["actions"].reshape(-1, 1),
        flat_arrays["rewards"],
        flat_arrays["terminals"].astype(np.float32),
        flat_arrays["timeouts"].astype(np.float32),
    )


def truncated_tail(flat_arrays):
    """The same arrays with a last episode that is marked, as d3rlpy wants it."""
    timeouts = flat_arrays["timeouts"].copy()
    timeouts[-1] = True
    return {**flat_arrays, "timeouts": timeouts}


def test_d3rlpy_object_and_file(tmp_path, flat_arrays):
    arrays = truncated_tail(flat_arrays)
    dataset = d3rlpy_dataset(arrays)
    with open(tmp_path / "a.h5", "w+b") as file:
        dataset.dump(file)
    for source in (dataset, tmp_path / "a.h5"):
        reading = read_reported(source)
        data = reading.transitions
        assert reading.format == "d3rlpy"
        assert len(data) == dataset.transition_count
        row = 0
        for number, episode in enumerate(dataset.episodes):
            for t in range(episode.transition_count):
                theirs = dataset.transition_picker(episode, t)
                assert np.array_equal(data.observations[row], theirs.observation)
                assert data.actions[row] == theirs.action[0]
                assert data.rewards[row] == theirs.reward[0]
                assert data.terminations[row] == bool(theirs.terminal)
                if not theirs.terminal:
                    assert np.array_equal(data.next_observations[row], theirs.next_observation)
                assert data.episode_ids[row] == number
                row += 1


def test_d3rlpy_layouts_without_the_library(tmp_path, flat_arrays):
    first = {
        "columns": ["observations", "actions", "rewards", "terminated"],
        "num_episodes": 2,
        "version": "2.1",
    }
    o, a, r = (flat_arrays[name] for name in ("observations", "actions", "rewards"))
    for number, rows in enumerate((slice(0, 4), slice(4, 7))):
        first[f"observations_{number}"] = o[rows]
        first[f"actions_{number}"] = a[rows, None]
        first[f"rewards_{number}"] = r[rows, None]
        first[f"terminated_{number}"] = number == 0
    data = read(write_hdf5(tmp_path / "v2.h5", first))
    assert np.array_equal(data.observations, o[:6])
    assert np.array_equal(data.next_observations, o[[1, 2, 3, 3, 5, 6]])
    ends = flat_arrays["terminals"] | flat_arrays["timeouts"]
    second = {
        "observations": o,
        "actions": a,
        "rewards": r,
        "terminals": flat_arrays["terminals"],
        "episode_terminals": ends,
        "discrete_action": True,
        "version": "1.0",
    }
    reading = read_reported(write_hdf5(tmp_path / "v1.h5", second))
    assert reading.format == "d3rlpy"
    assert len(reading.transitions) == 8
    assert reading.transitions.truncations.sum() == 2
    first["num_episodes"] = 10**9
    with pytest.raises(InputError, match="number of episodes"):
        read(write_hdf5(tmp_path / "lie.h5", first))
