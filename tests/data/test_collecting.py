from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.data.play import play


class Corridor(gym.Env):
    """Counts up from 0; action 1 ends the episode at once, the eighth step truncates."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (1,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return np.array([0.0], dtype=np.float32), {}

    def step(self, action):
        self.place += 1
        return (
            np.array([self.place], dtype=np.float32),
            float(self.place),
            action == 1,
            self.place == 8,
            {},
        )


def test_environments_need_not_be_of_gymnasium_s_class():
    class Plain:
        observation_space, action_space = Corridor.observation_space, Corridor.action_space

        def reset(self, *, seed=None, options=None):
            self.place = 0
            return np.zeros(1, np.float32), {}

        step = Corridor.step

    one, two = (da.collect(env, 50, seed=3) for env in (Plain, Corridor))
    assert np.array_equal(one.observations, two.observations)
    assert np.array_equal(one.actions, two.actions)
    assert da.evaluate("random", Plain, 3).returns.tolist()
    del Plain.step
    with pytest.raises(da.InputError, match=r"^env must be .*received one .* Plain, without step"):
        da.collect(Plain, 50)


def test_same_seed_same_data():
    one, two = (da.collect("CartPole-v1", 500, seed=3) for _ in range(2))
    other = da.collect("CartPole-v1", 500, seed=4)
    assert np.array_equal(one.observations, two.observations)
    assert np.array_equal(one.actions, two.actions)
    assert not np.array_equal(one.observations, other.observations)


def test_episodes_are_whole_and_in_order():
    data = da.collect(Corridor, 400, seed=0, side_by_side=7)
    assert len(data) == 400
    for rows in data.episodes():
        length = rows.stop - rows.start
        assert data.observations[rows, 0].tolist() == list(range(length))
        assert data.next_observations[rows, 0].tolist() == list(range(1, length + 1))
        ended = data.terminations[rows] | data.truncations[rows]
        assert ended[:-1].sum() == 0
        assert ended[-1]
        if data.terminations[rows][-1]:
            assert data.actions[rows][-1] == 1


def test_true_last_observation_of_a_termination():
    data = da.collect("CartPole-v1", 1_000, seed=0)
    fallen = data.next_observations[data.terminations]
    beyond = (np.abs(fallen[:, 0]) > 2.4) | (np.abs(fallen[:, 2]) > 12 * np.pi / 180)
    assert beyond.all()


def test_policies_and_epsilon():
    def one(observations):
        return np.ones(len(observations), dtype=int)

    always = da.collect(Corridor, 50, policy=one, seed=0)
    assert (always.actions == 1).all()
    assert always.terminations.all()
    mixed = da.collect(Corridor, 4_000, policy=one, epsilon=0.5, seed=0)
    assert 0.2 < (mixed.actions == 0).mean() < 0.3


def test_mixture_draws_one_epsilon_an_episode():
    def one(observations):
        return np.ones(len(observations), dtype=int)

    data = da.collect(Corridor, 3_000, policy=one, epsilon={0.0: 0.75, 1.0: 0.25}, seed=1)
    first = np.array([data.actions[rows.start] for rows in data.episodes()])
    assert 0.08 < (first == 0).mean() < 0.17  # a quarter of the episodes, half of the actions


@pytest.mark.parametrize("env", ["FrozenLake-v1", "Blackjack-v1"])
def test_discrete_and_tuple_observations_are_flattened(env):
    data = da.collect(env, 200, seed=0)
    assert data.observations.ndim == 2
    assert data.observations.dtype == np.float32


def test_actions_that_do_not_start_at_zero():
    class Shifted(Corridor):
        action_space = gym.spaces.Discrete(2, start=5)

        def step(self, action):
            return super().step(action - 5)

    data = da.collect(Shifted, 60, seed=0)
    assert set(data.actions.tolist()) == {0, 1}
    assert data.action_names == ("5", "6")


def test_progress_is_silent_without_a_terminal(capfd):
    da.collect(Corridor, 100, seed=0)
    assert capfd.readouterr() == ("", "")


class _OneBuffer(gym.Env):
    """Hands out the same array every time, as some simulators do."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.state = np.zeros(1, np.float32)
        return self.state, {}

    def step(self, action):
        self.state += 1.0
        return self.state, 0.0, bool(self.state[0] == 3.0), False, {}


def test_an_environment_that_reuses_its_buffer():
    data = da.collect(_OneBuffer, steps=3, side_by_side=1, show_progress=False)
    assert data.observations[:, 0].tolist() == [0.0, 1.0, 2.0]
    assert data.next_observations[:, 0].tolist() == [1.0, 2.0, 3.0]


class Unplayable(Corridor):
    """An environment that cannot be used, and says when it is closed."""

    action_space = gym.spaces.Text(3)
    opened = closed = 0

    def __init__(self):
        type(self).opened += 1

    def close(self):
        type(self).closed += 1


def test_an_environment_that_is_refused_is_closed():
    with pytest.raises(da.InputError, match="Discrete"):
        play(Unplayable, None, seed=0, side_by_side=2, steps=10, advance=None)
    assert Unplayable.opened == Unplayable.closed == 1
