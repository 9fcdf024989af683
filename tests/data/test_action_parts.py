"""Actions of several parts are rows that lead back to the same actions."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import deepaveragers as da
from deepaveragers.data.action_parts import native_row, row_bounds, row_names, side_by_side

SPACES = [
    spaces.Tuple((spaces.Discrete(3, start=2), spaces.Box(-1, 1, (2,), np.float32))),
    spaces.Dict(throttle=spaces.Box(0, 1, (1,)), gear=spaces.Discrete(4)),
    spaces.Tuple((spaces.Discrete(2), spaces.MultiDiscrete([3, 4], start=[1, 0]))),
    spaces.Dict(arm=spaces.Tuple((spaces.Box(-2, 2, (2, 2)), spaces.MultiBinary(3)))),
]


def batched(space: gym.Space, actions: list[Any]) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: batched(part, [one[key] for one in actions]) for key, part in space.items()}
    if isinstance(space, spaces.Tuple):
        parts = enumerate(space.spaces)
        return tuple(batched(part, [one[place] for one in actions]) for place, part in parts)
    return np.array(actions)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_rows_lead_back_to_actions(space: gym.Space) -> None:
    space.seed(0)
    actions = [space.sample() for _ in range(20)]
    rows = side_by_side(space, batched(space, actions))
    bounds, names = row_bounds(space), row_names(space)
    assert bounds is not None
    assert names is not None
    assert rows.shape == (20, len(names)) == (20, bounds.shape[1])
    assert ((rows >= bounds[0]) & (rows <= bounds[1])).all()
    for action, row in zip(actions, rows, strict=True):
        again = native_row(space, row)
        assert space.contains(again)
        np.testing.assert_array_equal(spaces.flatten(space, again), spaces.flatten(space, action))


class Parts(gym.Env[np.ndarray, Any]):
    """Rewards the sum of all numbers of an action; ends after three steps."""

    observation_space = spaces.Box(-1.0, 9.0, (1,), np.float64)

    def __init__(self, space: gym.Space) -> None:
        self.action_space = space

    def reset(self, *, seed: int | None = None, options: object = None) -> tuple:
        self.step_number = 0
        return np.zeros(1), {}

    def step(self, action: Any) -> tuple:
        assert self.action_space.contains(action)
        self.step_number += 1
        reward = side_by_side(self.action_space, batched(self.action_space, [action])).sum()
        return np.full(1, float(self.step_number)), reward, self.step_number == 3, False, {}


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_they_are_collected_planned_and_played(space: gym.Space) -> None:
    data = da.collect(lambda: Parts(space), steps=60, seed=0, side_by_side=2)
    assert data.action_names == row_names(space)
    np.testing.assert_allclose(data.rewards, data.actions.sum(axis=1), rtol=1e-5)
    policy = da.compile(data, 1).solve().policy()
    report = da.evaluate(policy, lambda: Parts(space), episodes=2)
    assert report.mean > data.episode_returns().mean()


def test_what_is_no_row_gets_one_sentence() -> None:
    space = spaces.Tuple((spaces.Discrete(2), spaces.Text(4)))
    with pytest.raises(da.InputError, match="or a Tuple or Dict of these"):
        da.collect(lambda: Parts(space), steps=6)
    mixed = SPACES[0]
    with pytest.raises(da.InputError, match="whole numbers"):
        da.evaluate(lambda seen: np.full((len(seen), 3), 2.5), lambda: Parts(mixed), episodes=1)
