"""Replay buffers, npz and LeRobot are read value by value; formats are recognised."""

from __future__ import annotations

import io
import pickle
import zipfile

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import deepaveragers as da
from deepaveragers.data.reading import read, read_reported
from deepaveragers.errors import InputError, StorageError


@pytest.mark.parametrize("filled", [5, 8, 13])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("n_envs", [1, 3])
def test_replay_buffer(filled, compact, n_envs):
    buffers = pytest.importorskip("stable_baselines3.common.buffers")
    random = np.random.default_rng(filled)
    space = spaces.Box(-np.inf, np.inf, (2,), np.float32)
    buffer = buffers.ReplayBuffer(
        8 * n_envs,
        space,
        spaces.Discrete(3, start=1),
        "cpu",
        n_envs,
        optimize_memory_usage=compact,
        handle_timeout_termination=not compact,
    )
    seen = random.normal(size=(filled + 1, n_envs, 2)).astype(np.float32)
    actions = random.integers(1, 4, size=(filled, n_envs))
    rewards = random.normal(size=(filled, n_envs)).astype(np.float32)
    dones = random.random((filled, n_envs)) < 0.3
    cuts = dones & (random.random((filled, n_envs)) < 0.5) & (not compact)
    for t in range(filled):
        infos = [{"TimeLimit.truncated": bool(cut)} for cut in cuts[t]]
        buffer.add(seen[t], seen[t + 1], actions[t], rewards[t], dones[t], infos)
    data = read(buffer)
    first = max(0, filled - 8) + (compact and filled >= 8)
    expected = [(t, e) for e in range(n_envs) for t in range(first, filled)]
    assert len(data) == len(expected)
    for row, (t, e) in enumerate(expected):
        assert np.array_equal(data.observations[row], seen[t, e])
        following = seen[t, e] if compact and dones[t, e] else seen[t + 1, e]
        assert np.array_equal(data.next_observations[row], following)
        assert int(data.action_names[data.actions[row]]) == actions[t, e]
        assert data.rewards[row] == rewards[t, e]
        assert data.terminations[row] == (dones[t, e] and not cuts[t, e])
        assert data.truncations[row] == (cuts[t, e] or (t == filled - 1 and not dones[t, e]))
    starts = [i for i, (t, e) in enumerate(expected) if i == 0 or t == first or dones[t - 1, e]]
    assert data.num_episodes == len(starts)


def test_replay_buffer_of_dictionaries():
    buffers = pytest.importorskip("stable_baselines3.common.buffers")
    space = spaces.Dict(b=spaces.Box(-1, 1, (2,)), a=spaces.Box(-1, 1, (1,)))
    buffer = buffers.DictReplayBuffer(4, space, spaces.Discrete(2), "cpu")
    for t in range(3):
        one = {"a": np.array([[t]]), "b": np.array([[t, t]])}
        two = {"a": np.array([[t + 1]]), "b": np.array([[t + 1, t + 1]])}
        buffer.add(one, two, np.array([1]), np.array([0.5]), np.array([False]), [{}])
    data = read(buffer)
    assert data.observations.tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    assert data.next_observations.tolist() == [[1, 1, 1], [2, 2, 2], [3, 3, 3]]


def test_pickles_are_never_opened(tmp_path):
    path = tmp_path / "buffer.pkl"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(InputError, match="pickle"):
        read(path)
    with pytest.raises(InputError, match="never opened"):
        read(path, "replay-buffer")


def test_npz_under_other_names(tmp_path, flat_arrays):
    np.savez(
        tmp_path / "a.npz",
        obs=flat_arrays["observations"],
        actions=flat_arrays["actions"],
        rewards=flat_arrays["rewards"],
        next_obs=flat_arrays["observations"] * 2,
        dones=flat_arrays["terminals"],
    )
    reading = read_reported(tmp_path / "a.npz")
    assert np.array_equal(reading.transitions.next_observations, flat_arrays["observations"] * 2)
    assert np.array_equal(reading.transitions.terminations, flat_arrays["terminals"])
    assert any("never as time limits" in note for note in reading.notes)


def test_npz_that_lies_or_pickles_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", observations=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="whole plain arrays"):
        read(tmp_path / "a.npz")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
    )
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("observations.npy", header.getvalue() + b"\0" * 64)
    with pytest.raises(InputError, match="promises more"):
        read(tmp_path / "b.npz")
    (tmp_path / "c.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:100])
    with pytest.raises(InputError, match="NumPy archive"):
        read(tmp_path / "c.npz")


def test_lerobot(tmp_path, flat_arrays):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "info.json").write_text('{"codebase_version": "v3.0"}')
    chunk = tmp_path / "data" / "chunk-000"
    chunk.mkdir(parents=True)
    o = flat_arrays["observations"]
    episode = np.array([0] * 4 + [1] * 6)
    frame = np.array([0, 1, 2, 3, 0, 1, 2, 3, 4, 5])
    for number, rows in enumerate((slice(0, 6), slice(6, 10))):
        columns = {
            "observation.state": pa.array(o[rows, :2].tolist(), pa.list_(pa.float32())),
            "observation.extra": o[rows, 2],
            "action": pa.array(flat_arrays["actions"][rows, None].tolist()),
            "next.reward": flat_arrays["rewards"][rows],
            "next.done": frame[rows] == np.where(episode[rows] == 0, 3, 5),
            "next.truncated": (episode[rows] == 1) & (frame[rows] == 5),
            "episode_index": episode[rows],
            "frame_index": frame[rows],
        }
        pq.write_table(pa.table(columns), chunk / f"file-{number:03d}.parquet")
    reading = read_reported(tmp_path)
    data = reading.transitions
    assert reading.format == "lerobot"
    assert np.array_equal(data.observations, o[:9])
    assert np.array_equal(data.next_observations, o[[1, 2, 3, 3, 5, 6, 7, 8, 9]])
    assert data.terminations.tolist() == [False] * 3 + [True] + [False] * 5
    assert data.truncations.tolist() == [False] * 8 + [True]
    assert np.array_equal(data.actions, flat_arrays["actions"][:9])


def test_auto_says_what_it_took_a_file_for(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("x,a,r\n1,0,0\n2,0,0\n")
    reading = read_reported(path, observations="x", action="a", reward="r")
    assert (reading.format, reading.reason) == ("table", "its name ends like a text table")
    assert reading.summary()["transitions"] == 1
    (tmp_path / "x.bin").write_bytes(b"whatever")
    with pytest.raises(InputError, match="known format"):
        read(tmp_path / "x.bin")
    with pytest.raises(StorageError, match="does not exist"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="object of type int"):
        read(3)
    with pytest.raises(InputError, match="format must be"):
        read(path, "excel")
    with pytest.raises(InputError, match="tables only"):
        read(path, "npz", episode="e")


def test_mapping_by_file_and_keywords(tmp_path):
    (tmp_path / "log.csv").write_text("x,a,r,q\n1,0,0,5\n2,0,0,6\n")
    (tmp_path / "m.toml").write_text('observations = ["x"]\naction = "a"\nreward = "r"\n')
    data = read(tmp_path / "log.csv", mapping=tmp_path / "m.toml", reward="q")
    assert data.rewards.tolist() == [5]
    assert isinstance(data, da.Transitions)
    assert gym.__version__
