"""Datasets that the tests of this folder share."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da

FIELDS = (
    "observations",
    "actions",
    "rewards",
    "next_observations",
    "terminations",
    "truncations",
    "episode_ids",
)


def _same(left, right):
    """Assert that two datasets are equal value by value, types included."""
    for field in FIELDS:
        one, other = getattr(left, field), getattr(right, field)
        assert one.dtype == other.dtype, field
        assert np.array_equal(one, other), field
    for field in ("action_names", "observation_names", "observation_units", "episode_names"):
        assert getattr(left, field) == getattr(right, field), field
    for field in ("times", "propensities"):
        one, other = getattr(left, field), getattr(right, field)
        assert (one is None) == (other is None), field
        if one is not None:
            assert one.dtype == other.dtype, field
            assert np.array_equal(one, other, equal_nan=True), field


@pytest.fixture(scope="session")
def cartpole():
    return da.collect("CartPole-v1", steps=600, seed=3)


@pytest.fixture(scope="session")
def broken_chains():
    """Shuffled transitions of pictures, with odd episode ids and names."""
    random = np.random.default_rng(5)
    pictures = random.integers(0, 256, size=(21, 6, 5, 3), dtype=np.uint8)
    rows = random.permutation(20)
    return da.Transitions(
        observations=pictures[:-1][rows],
        actions=random.integers(2, size=20),
        rewards=random.normal(size=20),
        next_observations=pictures[1:][rows],
        terminations=random.random(20) < 0.2,
        truncations=np.zeros(20, dtype=bool),
        episode_ids=np.repeat([7, -3, 7, 11], 5),
        action_names=("stay", "go"),
    )


@pytest.fixture(scope="session")
def same():
    return _same
