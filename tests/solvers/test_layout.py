"""Solving in another order of the states changes the way, not the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.solvers import layout, order
from deepaveragers.solvers.blocks import Blocks


@pytest.fixture
def plain(model):
    """A copy that keeps the usual order: it was solved before regions became small."""
    copy = replace(model)
    copy.solve()
    assert layout._LAYOUTS[copy] is None
    return copy


@pytest.fixture
def in_regions(plain, monkeypatch):
    monkeypatch.setattr(order, "LARGE", 1_000)
    monkeypatch.setattr(order, "REGION", 100)


@pytest.mark.parametrize("case", [{}, {"slip": 0.1}, {"forbidden_actions": [0]}, {"k": 1}])
def test_regions_give_the_same_values(plain, in_regions, case):
    fresh = replace(plain)
    plan = fresh.solve(gamma=0.99, **case)
    assert layout._LAYOUTS[fresh] is not None
    exact = plain.solve(gamma=0.99, tolerance=1e-9, **case)
    assert plan.converged
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    warm = fresh.solve(gamma=0.98, start=plan, **case)
    cold = plain.solve(gamma=0.98, **case)
    assert (warm.lower <= cold.upper).all()
    assert (cold.lower <= warm.upper).all()


def test_policies_are_evaluated_in_regions_too(plain, plan, in_regions):
    actions = plan.q_values.argmax(axis=1)
    there = da.policy_values(replace(plain), actions, tolerance=1e-7)
    here = da.policy_values(plain, actions, tolerance=1e-7)
    assert np.allclose(there.values, here.values, atol=there.above + here.below + 1e-9)


def test_same_bits_in_regions_for_any_number_of_threads(plain, in_regions):
    one, two = (replace(plain).solve(threads=threads) for threads in (1, 2))
    assert np.array_equal(one.q_values, two.q_values)


def test_what_was_asked_before_does_not_tell_in_the_bits(model):
    shuffled = np.random.default_rng(0).permutation(len(model))
    data = model.transitions.subset(shuffled)
    fresh, asked = da.compile(data, 5), da.compile(data, 5)
    asked.solve(k=1)
    assert layout._LAYOUTS[asked] is not None
    assert np.array_equal(fresh.solve().q_values, asked.solve().q_values)


@pytest.mark.parametrize("dimensions", [1, 3, 40])
@pytest.mark.parametrize("kind", ["normal", "constant", "two places"])
def test_regions_are_near_together(kind, dimensions):
    random = np.random.default_rng(0)
    features = random.normal(size=(20_000, dimensions)).astype(np.float32)
    if kind == "constant":
        features[:] = 1.0
    if kind == "two places":
        features = np.sign(features)
    with Blocks(len(features), 2) as blocks:
        places = order.region_of(features, 16, blocks)
    assert places.max() < 16
    if kind == "normal":
        counts = np.bincount(places, minlength=16)
        assert counts.min() > 0.5 * counts.mean()
        inside = np.mean([features[places == place].var(axis=0).sum() for place in range(16)])
        assert inside < 0.95 * features.var(axis=0).sum()
