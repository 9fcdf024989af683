"""Small real datasets that many tests share."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import deepaveragers as da


def pytest_configure() -> None:
    """Heed Ctrl-C, which a shell switches off for what it starts in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def cartpole() -> da.Transitions:
    return da.collect("CartPole-v1", steps=3_000, seed=0)


@pytest.fixture(scope="session")
def model(cartpole: da.Transitions) -> da.DacMdp:
    return da.compile(cartpole, k=5)


@pytest.fixture(scope="session")
def plan(model: da.DacMdp) -> da.Plan:
    return model.solve(gamma=0.99, cost=1.0)


@pytest.fixture
def columns() -> dict[str, object]:
    """Six valid transitions in two episodes, as keyword arguments of Transitions."""
    return {
        "observations": np.arange(12.0).reshape(6, 2),
        "actions": [0, 1, 0, 1, 1, 0],
        "rewards": [1.0, 0.0, -1.0, 2.0, 0.5, 0.0],
        "next_observations": np.arange(2.0, 14.0).reshape(6, 2),
        "terminations": [False, False, True, False, False, False],
        "truncations": [False, False, False, False, False, True],
    }
