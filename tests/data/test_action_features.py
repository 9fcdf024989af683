"""Numbered actions with features are planned as rows, and come back as numbers."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da

ACTIONS = 400
FEATURES = np.column_stack([np.arange(ACTIONS) % 20, np.arange(ACTIONS) // 20]) / 19.0


class Shelf(gym.Env[np.ndarray, int]):
    """Pays by how near the features of an action are to what is seen; three steps."""

    action_space = gym.spaces.Discrete(ACTIONS)
    observation_space = gym.spaces.Box(0.0, 1.0, (2,), np.float64)

    def reset(self, *, seed: int | None = None, options: object = None) -> tuple:
        super().reset(seed=seed)
        self.step_number, self.seen = 0, self.np_random.random(2)
        return self.seen, {}

    def step(self, action: int) -> tuple:
        reward = -float(np.abs(FEATURES[action] - self.seen).sum())
        self.step_number, self.seen = self.step_number + 1, self.np_random.random(2)
        return self.seen, reward, self.step_number == 3, False, {}


def test_a_large_set_is_planned_by_its_features() -> None:
    data = da.collect(Shelf, steps=3_000, seed=0)
    menu = da.ActionFeatures(FEATURES, ("taste", "price"))
    rows = menu.rows(data)
    assert rows.action_names == ("taste", "price")
    np.testing.assert_array_equal(menu.numbers(rows.actions), data.actions)
    policy = menu.acting(da.compile(rows).solve(gamma=0.0).policy())
    earned = da.evaluate(policy, Shelf, episodes=50).mean
    assert earned > 0.6 * data.episode_returns().mean()  # rewards are below 0
    assert isinstance(policy.act(data.observations[0]), int)
    assert policy.act(data.observations[:4]).shape == (4,)
    cheap = da.compile(rows).solve(gamma=0.0, forbidden_actions={"price": (0.5, None)}).policy()
    assert (FEATURES[menu.acting(cheap).act(data.observations[:50]), 1] < 0.5).all()


def test_features_by_name() -> None:
    data = da.Transitions(
        observations=np.zeros((3, 1)),
        actions=["b", "a", "b"],
        rewards=np.zeros(3),
        next_observations=np.zeros((3, 1)),
        terminations=[True] * 3,
    )
    menu = da.ActionFeatures.of_names({"a": [1.0], "b": [-0.0]}, data, ["dose"])
    np.testing.assert_array_equal(menu.rows(data).actions[:, 0], [0.0, 1.0, 0.0])
    assert menu.numbers([0.0]) == 1
    with pytest.raises(da.InputError, match="a row for each action"):
        da.ActionFeatures.of_names({"a": [1.0]}, data)


def test_doors() -> None:
    data = da.collect("CartPole-v1", steps=30, seed=0)
    with pytest.raises(da.InputError, match="features must be a row of numbers per action"):
        da.ActionFeatures([1.0, 2.0])  # type: ignore[arg-type]
    with pytest.raises(da.InputError, match="several like that of action 1"):
        da.ActionFeatures(np.array([[0.0], [1.0], [1.0]]))
    with pytest.raises(da.InputError, match="finite numbers"):
        da.ActionFeatures(np.array([[0.0], [np.nan]]))
    menu = da.ActionFeatures(np.array([[0.0], [1.0], [2.0]]))
    with pytest.raises(da.InputError, match="of 3 actions"):
        menu.rows(data)
    pair = da.ActionFeatures(np.array([[0.0], [1.0]]))
    with pytest.raises(da.InputError, match="actions that are rows"):
        pair.rows(pair.rows(data))
    with pytest.raises(da.InputError, match="features of known actions"):
        pair.numbers([0.5])
    with pytest.raises(da.InputError, match="rows of 1 features"):
        pair.numbers([0.5, 1.0])
    with pytest.raises(da.InputError, match="a policy with act"):
        pair.acting("random")


@pytest.mark.parametrize(
    "ask",
    [
        lambda data: da.ActionFeatures([[1.0], [1.0, 2.0]]),
        lambda data: da.ActionFeatures.of_names({"0": [1.0, 2.0], "1": [3.0]}, data),
        lambda data: da.ActionFeatures([[1.0], [2.0]]).numbers("x"),
    ],
)
def test_what_is_no_table_of_numbers_gets_one_sentence(ask) -> None:
    with pytest.raises(da.InputError, match="rows of numbers, all of one length"):
        ask(da.collect("CartPole-v1", steps=20, seed=0))
