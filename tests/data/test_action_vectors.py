"""Actions that are rows of numbers: at the door, in files and tables, when playing."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da

SIZE = 12


def rows(**fields: object) -> da.Transitions:
    """Return some transitions with actions of two numbers, changed as given."""
    generator = np.random.default_rng(3)
    states = generator.normal(size=(SIZE + 1, 2))
    given: dict[str, object] = {
        "observations": states[:-1],
        "actions": generator.uniform(-1, 1, (SIZE, 2)).astype(np.float32),
        "rewards": np.arange(SIZE),
        "next_observations": states[1:],
        "terminations": np.arange(SIZE) % 6 == 5,
        "action_names": ("throttle", "steering"),
        "action_bounds": [[-1, -1], [1, 1]],
    }
    return da.Transitions(**{**given, **fields})  # type: ignore[arg-type]


def same(one: da.Transitions, other: da.Transitions) -> None:
    np.testing.assert_array_equal(one.actions, other.actions)
    assert one.actions.dtype == other.actions.dtype
    assert one.action_names == other.action_names
    np.testing.assert_array_equal(one.action_bounds, other.action_bounds)  # type: ignore[arg-type]


def test_the_record_keeps_rows_as_they_are() -> None:
    data = rows()
    assert data.action_vectors
    assert data.actions.shape == (SIZE, 2)
    assert data.actions.dtype == np.float32
    assert "continuous actions of 2 numbers" in repr(data)
    assert data.summary()["action_range"]["least"] == data.actions.min(axis=0).tolist()
    assert rows(actions=np.ones((SIZE, 2), np.int64)).actions.dtype == np.int32
    with pytest.raises(da.InputError, match="with discrete actions for this"):
        _ = data.num_actions


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"actions": np.full((SIZE, 2), np.nan)}, "finite numbers; received nan in row 0"),
        ({"actions": np.zeros((SIZE - 1, 2))}, "of shape"),
        ({"actions": np.zeros((SIZE, 0))}, "of shape"),
        ({"actions": np.zeros((SIZE, 3))}, "3 distinct names"),
        ({"actions": np.full((SIZE, 2), 1.5)}, "-1 to 1 for column 'throttle'; received 1.5"),
        ({"actions": np.full((SIZE, 2), "left")}, "rows of numbers"),
        ({"actions": np.full((SIZE, 2), 2**40)}, "within 32 bits"),
        ({"action_names": ("a", "a")}, "2 distinct names"),
        ({"action_bounds": [[1, 1], [-1, -1]]}, "two rows of 2"),
        ({"action_bounds": [1, 2]}, "two rows of 2"),
        ({"action_bounds": "wide"}, "two rows of 2"),
        (
            {"actions": np.zeros(SIZE, int), "action_names": None},
            "None for discrete actions",
        ),
        (
            {"actions": np.full(SIZE, 0.5), "action_names": None, "action_bounds": None},
            r"actions\[:, None\]",
        ),
    ],
)
def test_bad_actions_get_one_sentence(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(da.InputError, match=sentence):
        rows(**fields)


@pytest.mark.parametrize("name", ["data.npz", "data.parquet", "data-v0"])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
def test_writers_and_readers_lose_nothing(tmp_path: Path, name: str, kind: type) -> None:
    whole = np.round(rows().actions).astype(kind)
    data = rows() if kind is np.float32 else rows(actions=whole)
    da.write(data, tmp_path / name)
    same(da.read(tmp_path / name), data)


def test_bundles_append_and_forget(tmp_path: Path) -> None:
    data = rows()
    da.save(data, tmp_path / "data")
    same(da.load(tmp_path / "data"), data)  # type: ignore[arg-type]
    turned = rows(actions=data.actions[:, ::-1], action_names=("steering", "throttle"))
    both = da.append(data, turned)
    assert isinstance(both, da.Transitions)
    np.testing.assert_array_equal(both.actions, np.concatenate([data.actions] * 2))
    left = da.forget(both, [0])
    assert isinstance(left, da.Transitions)
    assert left.actions.shape == (len(both) - 6, 2)
    for other in (
        rows(action_names=("throttle", "brake")),
        rows(actions=np.zeros(SIZE, int), action_names=None, action_bounds=None),
        rows(action_bounds=[[-2, -2], [2, 2]]),
    ):
        with pytest.raises(da.InputError, match="new must be transitions"):
            da.append(data, other)


def test_tables_with_several_action_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(
        "run,x,throttle,steering,r,end\n"
        "a,1,0.5,-0.1,1,0\na,2,0.25,0.1,2,1\nb,3,1,0,3,0\nb,4,0,1,4,0\nb,5,,,0,0\n"
    )
    data = da.read(
        path, episode="run", action="throttle,steering", reward="r", terminated="end",
        observations="x",
    )  # fmt: skip
    assert data.action_names == ("throttle", "steering")
    np.testing.assert_array_equal(data.actions, [[0.5, -0.1], [0.25, 0.1], [1, 0], [0, 1]])
    np.testing.assert_array_equal(data.next_observations[:, 0], [2, 2, 4, 5])
    one = da.read(
        path, episode="run", action="throttle", continuous=True, reward="r", terminated="end",
        observations="x",
    )  # fmt: skip
    np.testing.assert_array_equal(one.actions, data.actions[:, :1])
    path.write_text("run,x,throttle,steering,r\na,1,0.5,,1\na,2,0.25,0.1,2\na,3,1,1,0\n")
    with pytest.raises(da.InputError, match=r"throttle,steering.*filled with finite values"):
        da.read(path, episode="run", action="throttle,steering", reward="r", observations="x")
    with pytest.raises(da.InputError, match="action must be a column"):
        da.read(path, episode="run", action="throttle,brake", reward="r", observations="x")


def test_playing_a_box() -> None:
    data = da.collect("Pendulum-v1", steps=60, seed=1, side_by_side=2)
    assert data.actions.shape == (60, 1)
    np.testing.assert_array_equal(data.action_bounds, [[-2.0], [2.0]])  # type: ignore[arg-type]
    assert np.abs(data.actions).max() <= 2.0
    again = da.collect("Pendulum-v1", steps=60, seed=1, side_by_side=2)
    np.testing.assert_array_equal(again.actions, data.actions)

    def beyond(observations: np.ndarray) -> np.ndarray:
        return np.full((len(observations), 1), 9.0)

    clipped = da.collect("Pendulum-v1", steps=10, policy=beyond, seed=0, side_by_side=1)
    np.testing.assert_array_equal(clipped.actions, np.full((10, 1), 2.0))
    assert len(da.evaluate(beyond, "Pendulum-v1", episodes=2).returns) == 2
    for wrong, sentence in (
        (lambda seen: np.zeros(len(seen)), "actions of 1 numbers each"),
        (lambda seen: np.full((len(seen), 1), np.nan), "finite numbers"),
    ):
        with pytest.raises(da.InputError, match=sentence):
            da.evaluate(wrong, "Pendulum-v1", episodes=1)


class Switches(gym.Env[np.ndarray, np.ndarray]):
    """Rewards the sum of its switches; ends after three steps."""

    observation_space = gym.spaces.Box(-1.0, 9.0, (1,), np.float64)

    def __init__(self, space: gym.Space) -> None:
        self.action_space = space

    def reset(self, *, seed: int | None = None, options: object = None) -> tuple:
        self.step_number = 0
        return np.zeros(1), {}

    def step(self, action: np.ndarray) -> tuple:
        assert self.action_space.contains(action)
        self.step_number += 1
        ended = self.step_number == 3
        return np.full(1, float(self.step_number)), float(np.sum(action)), ended, False, {}


@pytest.mark.parametrize(
    ("space", "shape"),
    [
        (gym.spaces.MultiDiscrete([3, 2]), ()),
        (gym.spaces.MultiDiscrete([300, 200], start=[1, 0]), (2,)),
        (gym.spaces.MultiBinary(3), ()),
        (gym.spaces.MultiBinary(20), (20,)),
        (gym.spaces.Box(-np.inf, np.inf, (2, 2), np.float32), (4,)),
        (gym.spaces.Discrete(3, start=5), ()),
    ],
)
def test_playing_other_spaces(space: gym.Space, shape: tuple[int, ...]) -> None:
    data = da.collect(lambda: Switches(space), steps=12, seed=0, side_by_side=1)
    assert data.actions.shape == (12, *shape)
    if shape:
        np.testing.assert_allclose(data.rewards, data.actions.sum(axis=1), rtol=1e-5)


def test_the_doctor_sees_shifted_rows_and_leaks() -> None:
    generator = np.random.default_rng(0)
    actions = generator.uniform(-1, 1, (600, 2))
    states = np.concatenate([[[0.0, 0.0]], np.cumsum(actions, axis=0) * 0.1])
    fields = {
        "observations": states[:-1],
        "next_observations": states[1:],
        "rewards": generator.normal(size=600),
        "terminations": np.arange(600) % 100 == 99,
    }
    sound = da.diagnose(da.Transitions(actions=actions, **fields))
    assert "shifted_actions" not in [one.code for one in sound.findings]
    assert sound.summary()["action_range"]["0"][0] == actions[:, 0].min()
    assert "continuous actions of 2 numbers" in sound.text()
    shifted = da.diagnose(da.Transitions(actions=np.roll(actions, 1, axis=0), **fields))
    assert "shifted_actions" in [one.code for one in shifted.findings]
    still = actions.copy()
    still[:, 1] = 0.3
    codes = [one.code for one in da.diagnose(da.Transitions(actions=still, **fields)).findings]
    assert "constant_action" in codes
    seen = fields | {"observations": np.column_stack([states[:-1], actions[:, 0]])}
    seen["next_observations"] = np.column_stack([states[1:], np.roll(actions[:, 0], -1)])
    codes = [one.code for one in da.diagnose(da.Transitions(actions=actions, **seen)).findings]
    assert "leaks_action" in codes
