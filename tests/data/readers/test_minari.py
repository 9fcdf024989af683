"""Gymnasium's spaces and Minari's datasets are read value by value."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from deepaveragers.data.action_parts import native_row, row_bounds
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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("actions", "names"),
    [
        (
            spaces.Tuple((spaces.Discrete(3, start=2), spaces.Box(-1, 1, (2,), np.float32))),
            ("0", "1[0]", "1[1]"),
        ),
        (
            spaces.Dict(gear=spaces.Discrete(4), throttle=spaces.Box(0, 1, (1,), np.float32)),
            ("gear", "throttle"),
        ),
    ],
    ids=str,
)
def test_minari_actions_of_several_parts_are_rows(minari, actions, names):
    dataset, expected = make_minari(minari, spaces.Box(-1, 1, (2,), np.float32), actions)
    for data in (read(dataset), read("test/made-v0")):
        assert data.action_names == names
        np.testing.assert_array_equal(data.action_bounds, row_bounds(actions))
        taken = [action for _, taken, _, _ in expected for action in taken]
        for row, action in zip(data.actions, taken, strict=True):
            again = native_row(actions, row)
            np.testing.assert_array_equal(
                spaces.flatten(actions, again), spaces.flatten(actions, action)
            )


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
