"""Datasets made by the real libraries are read value by value."""

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
from deepaveragers.data.spaces import action_batch, action_space_names, observation_batch
from deepaveragers.errors import InputError, StorageError

SPACES = [
    spaces.Box(-1, 1, (3,), np.float64),
    spaces.Box(0, 255, (4, 4, 3), np.uint8),
    spaces.Discrete(4, start=-2),
    spaces.MultiDiscrete([2, 3]),
    spaces.MultiBinary(3),
    spaces.Tuple((spaces.Discrete(2), spaces.Box(-1, 1, (2,)))),
    spaces.Dict(b=spaces.Box(-1, 1, (2, 2)), a=spaces.Dict(x=spaces.Discrete(3))),
    spaces.Text(4),
]


def stacked(space, values):
    if isinstance(space, spaces.Dict):
        return {k: stacked(s, [v[k] for v in values]) for k, s in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(stacked(s, [v[i] for v in values]) for i, s in enumerate(space.spaces))
    return values if isinstance(space, spaces.Text) else np.array(values)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_batches_are_flattened_as_gymnasium_does(space):
    space.seed(0)
    values = [space.sample() for _ in range(5)]
    batch = observation_batch(space, stacked(space, values))
    for row, value in zip(batch, values, strict=True):
        if isinstance(space, spaces.Box):
            assert np.array_equal(row, value)
        else:
            assert np.array_equal(row, spaces.flatten(space, value).astype(np.float32))


def test_combined_actions_are_numbered():
    space = spaces.MultiDiscrete([2, 3], start=[0, 5])
    names = action_space_names(space)
    assert names == ("0,5", "0,6", "0,7", "1,5", "1,6", "1,7")
    numbers = action_batch(space, np.array([[1, 5], [0, 7]]))
    assert [names[n] for n in numbers] == ["1,5", "0,7"]
    assert action_space_names(spaces.MultiBinary(2)) == ("0,0", "0,1", "1,0", "1,1")
    assert action_space_names(spaces.Box(-1, 1, (2,))) is None


@pytest.fixture
def minari(tmp_path, monkeypatch):
    module = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return module


def make_minari(minari, observation_space, action_space, *, short=False, format="hdf5", infos=None):
    from minari.data_collector import EpisodeBuffer

    observation_space.seed(1), action_space.seed(2)
    random = np.random.default_rng(3)
    episodes, expected = [], []
    for number in range(4):
        size = 3 + number
        seen = [observation_space.sample() for _ in range(size + (not short))]
        taken = [action_space.sample() for _ in range(size)]
        ends = number % 2 == 0
        rewards = random.normal(size=size)
        episodes.append(
            EpisodeBuffer(
                observations=stacked(observation_space, seen),
                actions=stacked(action_space, taken),
                rewards=list(rewards),
                terminations=[False] * (size - 1) + [ends],
                truncations=[False] * (size - 1) + [not ends],
                infos=infos and {key: np.arange(size + 1) for key in infos},
            )
        )
        expected.append((seen, taken, rewards, ends))
    with pytest.warns(UserWarning, match="is set to None"):
        dataset = minari.create_dataset_from_buffers(
            "test/made-v0",
            episodes,
            observation_space=observation_space,
            action_space=action_space,
            data_format=format,
            jpeg_encoding=False,
        )
    return dataset, expected


def flat(space, value):
    if isinstance(space, spaces.Box):
        return np.asarray(value)
    return spaces.flatten(space, value).astype(np.float32)


def check_minari(data, expected, space, short):
    row = 0
    for seen, taken, rewards, ends in expected:
        steps = len(taken) - (short and not ends)
        for t in range(steps):
            following = seen[t + 1] if t + 1 < len(seen) else seen[t]
            assert np.array_equal(
                data.observations[row], flat(space, seen[t]).reshape(data.observation_shape)
            )
            assert np.array_equal(
                data.next_observations[row], flat(space, following).reshape(data.observation_shape)
            )
            assert data.actions[row] == taken[t]
            assert data.rewards[row] == rewards[t]
            assert data.terminations[row] == (ends and t == len(taken) - 1)
            assert data.truncations[row] == (not ends and t == steps - 1)
            row += 1
    assert row == len(data)


@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("short", [False, True])
def test_minari_spaces(minari, space, short):
    dataset, expected = make_minari(minari, space, spaces.Discrete(3), short=short)
    reading = read_reported("test/made-v0")
    assert reading.format == "minari"
    assert "id" in reading.reason
    # A stored dictionary space has its keys in an order of its own.
    stored = minari.load_dataset("test/made-v0").observation_space
    check_minari(reading.transitions, expected, stored, short)
    assert reading.transitions.action_names == ("0", "1", "2")
    assert any("final observation" in note for note in reading.notes) == short
    check_minari(read(dataset), expected, space, short)


@pytest.mark.parametrize(("format", "infos"), [("arrow", None), ("hdf5", ["x"])])
def test_minari_by_path_with_infos_and_arrow(minari, tmp_path, format, infos):
    pytest.importorskip("pyarrow")
    space = spaces.Box(-1, 1, (2,), np.float32)
    _, expected = make_minari(minari, space, spaces.Discrete(3), format=format, infos=infos)
    path = tmp_path / "minari" / "test" / "made-v0"
    for place in (path, path / "data", str(path)):
        check_minari(read(place), expected, space, False)


def test_minari_action_spaces(minari):
    space = spaces.Box(-1, 1, (2,), np.float32)
    dataset, expected = make_minari(minari, space, spaces.Discrete(2, start=5))
    data = read(dataset)
    assert data.action_names == ("5", "6")
    assert [int(data.action_names[a]) for a in data.actions] == [
        int(a) for _, taken, _, _ in expected for a in taken
    ]


def test_minari_continuous_actions_are_rows_or_mapped_by_a_function(minari):
    space = spaces.Box(-1, 1, (2,), np.float32)
    dataset, expected = make_minari(minari, space, spaces.Box(-1, 1, (2,), np.float32))
    rows = read(dataset)
    np.testing.assert_array_equal(rows.actions, [a for _, taken, _, _ in expected for a in taken])
    np.testing.assert_array_equal(rows.action_bounds, [[-1, -1], [1, 1]])
    data = read(dataset, actions=lambda a: np.where(a[:, 0] > 0, "push", "pull"))
    signs = [float(a[0]) > 0 for _, taken, _, _ in expected for a in taken]
    assert [data.action_names[a] == "push" for a in data.actions] == signs


def test_minari_that_names_no_spaces_is_not_opened(minari, tmp_path):
    make_minari(minari, spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(3))
    metadata = tmp_path / "minari" / "test" / "made-v0" / "data" / "metadata.json"
    metadata.write_text('{"env_spec": "{}", "data_format": "hdf5"}')
    with pytest.raises(InputError, match="says what its spaces are"):
        read("test/made-v0")
    metadata.write_text("{")
    with pytest.raises(InputError, match="broken metadata"):
        read("test/made-v0")


def test_minari_unknown_id(minari):
    with pytest.raises(StorageError, match="minari download no/such-v0"):
        read("no/such-v0")


@pytest.fixture
def flat_arrays():
    random = np.random.default_rng(0)
    return {
        "observations": random.normal(size=(10, 3)).astype(np.float32),
        "actions": random.integers(0, 3, size=10),
        "rewards": random.normal(size=10).astype(np.float32),
        "terminals": np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0], dtype=bool),
        "timeouts": np.array([0, 0, 0, 0, 0, 0, 1, 0, 0, 0], dtype=bool),
    }


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
