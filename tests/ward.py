"""A hospital's policy: numbers, a category, a value that may be missing."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da


@pytest.fixture(scope="session")
def ward():
    """Transitions with names, categories and missing values."""
    random = np.random.default_rng(3)
    size = 600
    female = random.random(size + 1) < 0.5
    gone = random.random(size + 1) < 0.2
    lactate = random.gamma(2.0, 1.0, size + 1)
    lactate[gone] = lactate[~gone].mean()
    rows = np.column_stack([random.normal(60, 10, size + 1), female, ~female, lactate, gone])
    return da.Transitions(
        observations=rows[:-1],
        actions=random.integers(0, 3, size),
        rewards=random.normal(size=size),
        next_observations=rows[1:],
        terminations=np.arange(size) % 12 == 11,
        episode_ids=np.arange(size) // 12,
        action_names=("none", "low", "high"),
        observation_names=("age", "sex=F", "sex=M", "lactate", "lactate=missing"),
    )


@pytest.fixture(scope="session")
def ward_policy(ward):
    return da.compile(ward, 5).solve(gamma=0.9).policy(support_threshold=0.2, fallback="none")


@pytest.fixture(scope="session")
def ward_file(ward_policy, tmp_path_factory):
    path = tmp_path_factory.mktemp("ward") / "policy"
    da.save(ward_policy, path)
    return path


@pytest.fixture(scope="session")
def patients():
    """Rows as a hospital has them: other columns, in another order, some cells blank."""
    random = np.random.default_rng(4)
    return [
        {
            "patient": f"p{row:03}",
            "lactate": None if row % 7 == 0 else round(float(random.gamma(2.0, 1.0)), 3),
            "sex": "F" if row % 3 else "M",
            "action": "low",
            "age": round(float(random.normal(60, 10)), 2),
        }
        for row in range(200)
    ]
