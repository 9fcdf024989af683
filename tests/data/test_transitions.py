from __future__ import annotations

from collections import OrderedDict

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da


def test_fields_are_checked_arrays(columns):
    data = da.Transitions(**columns)
    assert len(data) == 6
    assert data.num_actions == 2
    assert data.actions.dtype == np.int32
    assert data.rewards.dtype == np.float64
    assert data.terminations.dtype == bool
    assert data.action_names == ("0", "1")


def test_record_cannot_change(columns):
    data = da.Transitions(**columns)
    with pytest.raises(ValueError, match="read-only"):
        data.rewards[0] = 7.0
    with pytest.raises(AttributeError):
        data.rewards = np.zeros(6)


def test_the_callers_arrays_stay_writable(columns):
    rewards = np.zeros(6)
    da.Transitions(**{**columns, "rewards": rewards})
    rewards[0] = 1.0
    assert rewards[0] == 1.0


def test_text_actions_become_names(columns):
    data = da.Transitions(**{**columns, "actions": ["left", "right", "left", "up", "up", "left"]})
    assert data.action_names == ("left", "right", "up")
    assert data.actions.tolist() == [0, 1, 0, 2, 2, 0]


def test_given_names_decide_the_numbers(columns):
    labels = ["b", "a", "b", "a", "a", "b"]
    data = da.Transitions(**{**columns, "actions": labels, "action_names": ("a", "b", "c")})
    assert data.num_actions == 3
    assert data.actions.tolist() == [1, 0, 1, 0, 0, 1]


def test_episodes_from_flags_and_jumps(columns):
    moved = columns["observations"].copy()
    moved[5] += 100.0  # a jump between rows 4 and 5 with no flag
    data = da.Transitions(**{**columns, "observations": moved})
    assert data.episode_ids.tolist() == [0, 0, 0, 1, 1, 2]
    assert [(s.start, s.stop) for s in data.episodes()] == [(0, 3), (3, 5), (5, 6)]
    assert data.episode_returns().tolist() == [0.0, 2.5, 0.0]


@pytest.mark.parametrize("kind", [dict, OrderedDict])
def test_dictionaries_are_flattened_as_their_space_does(columns, kind):
    parts = kind(z=gym.spaces.Box(0, 1, (2,)), a=gym.spaces.Box(0, 1, (3,)))
    space = gym.spaces.Dict(parts)
    space.seed(0)
    samples = [space.sample() for _ in range(6)]
    batch = kind((key, np.stack([sample[key] for sample in samples])) for key in parts)
    data = da.Transitions(**{**columns, "observations": batch, "next_observations": batch})
    wanted = np.stack([gym.spaces.utils.flatten(space, sample) for sample in samples])
    assert np.array_equal(data.observations, wanted)


def test_dictionaries_are_laid_side_by_side(columns):
    parts = {"b": np.ones((6, 2)), "a": np.arange(6)}
    data = da.Transitions(**{**columns, "observations": parts, "next_observations": parts})
    assert data.observations.tolist() == [[i, 1.0, 1.0] for i in range(6)]


def test_pictures_stay_bytes(columns):
    pictures = np.random.default_rng(0).integers(0, 255, (6, 4, 4, 3), dtype=np.uint8)
    data = da.Transitions(
        **{**columns, "observations": pictures, "next_observations": pictures},
    )
    assert data.observations.dtype == np.uint8
    assert data.observation_shape == (4, 4, 3)


@pytest.mark.parametrize(
    "rows",
    [slice(1, 6, 2), [4, 0], np.array([True, False, True, True, False, False]), np.array([-1, 2])],
)
def test_subset_takes_rows_of_every_column(columns, rows):
    data = da.Transitions(**columns)
    part = data.subset(rows)
    for name in ("observations", "actions", "rewards", "next_observations", "episode_ids"):
        taken = getattr(part, name)
        assert np.array_equal(taken, getattr(data, name)[rows])
        assert taken.flags.c_contiguous
        assert not taken.flags.writeable


def test_subset_refuses_what_names_no_rows(columns):
    data = da.Transitions(**columns)
    with pytest.raises(da.InputError, match="at least one transition"):
        data.subset([])
    with pytest.raises(da.InputError, match="rows must be"):
        data.subset(np.zeros((2, 2), int))
    with pytest.raises(da.InputError, match=r"rows must be a mask of 6 flags.*received 2"):
        data.subset([True, False])
    with pytest.raises(da.InputError, match=r"rows must be .* from 0 to 5; received 6"):
        data.subset([0, 6])
    with pytest.raises(da.InputError, match=r"rows must be .* from 0 to 5; received -7"):
        data.subset([0, -7])


def test_subset_keeps_names_and_flags(columns):
    data = da.Transitions(**columns).subset([2, 5])
    assert data.terminations.tolist() == [True, False]
    assert data.truncations.tolist() == [False, True]
    assert data.num_actions == 2
