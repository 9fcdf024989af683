"""The paper's first claim, on raw features: without a price for leaving the data, plans fail."""

from __future__ import annotations

import pytest

import deepaveragers as da


@pytest.fixture(scope="module")
def raw():
    data = da.collect("CartPole-v1", steps=30_000, seed=0)
    return da.compile(data, k=5, encoder=da.Identity())


def mean_return(plan, k):
    return da.evaluate(plan.policy(k=k), "CartPole-v1", episodes=20, seed=1).mean


def test_no_cost_fails(raw):
    """Solved tightly: values stopped early still rank actions by how long they last."""
    assert mean_return(raw.solve(gamma=0.99, cost=0.0, k=1, tolerance=1e-9), k=1) < 80


def test_a_cost_of_one_works(raw):
    assert mean_return(raw.solve(gamma=0.99, cost=1.0), k=11) > 150
