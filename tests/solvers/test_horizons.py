"""Horizons: bounds that hold where gamma is near 1, and plans that end however long they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.solvers.explicit import make_mdp, random_mdp

import deepaveragers as da
from deepaveragers.solvers.iteration.horizon import LONG, sum_of_powers

ENDLESS = 10**23


def loops(*rewards: float) -> da.DacMdp:
    """States that lead to themselves: V_H = r (1 + ... + gamma^(H-1))."""
    size = len(rewards)
    return make_mdp(
        np.arange(size)[:, None, None],
        np.zeros((size, 1, 1)),
        np.array(rewards),
        np.zeros(size, bool),
    )


@given(
    st.sampled_from([0.0, 0.5, 0.99, 0.99999, 0.999999, 0.9999999]),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_sums_of_powers_keep_their_digits(gamma, first, terms):
    exact = sum((Fraction(gamma) ** i for i in range(first, first + terms)), Fraction(0))
    found = Fraction(sum_of_powers(gamma, first, first + terms))
    assert abs(found - exact) <= Fraction(1, 10**14) * exact


@pytest.mark.parametrize("gamma", [0.99999, 0.999999, 0.9999999])
@pytest.mark.parametrize(("horizon", "sweeps"), [(2, 1), (10, 9), (1000, 3), (1000, 999)])
def test_stopped_early_the_bounds_hold_where_gamma_is_near_1(gamma, horizon, sweeps):
    plan = loops(1.0, -1.0).solve(gamma=gamma, cost=0.0, horizon=horizon, max_sweeps=sweeps)
    assert plan.status == "out_of_sweeps"
    exact = sum(Fraction(gamma) ** i for i in range(horizon))
    for state, value in enumerate([exact, -exact]):
        assert Fraction(plan.lower[state]) <= value <= Fraction(plan.upper[state])


@pytest.mark.parametrize("method", ["auto", "value_iteration"])
def test_a_horizon_that_makes_no_difference_is_planned_without(method):
    mdp = random_mdp(0, 300, 2, 3)
    endless = mdp.solve(gamma=0.99, cost=1.0, tolerance=1e-6)
    plan = mdp.solve(gamma=0.99, cost=1.0, tolerance=1e-6, horizon=ENDLESS, method=method)
    assert plan.status == "optimal"
    assert plan.error <= 1.001 * 1e-6 * np.abs(mdp.solve(gamma=0.0, cost=1.0).values).max() / 0.01
    assert (plan.lower <= endless.upper).all()
    assert (endless.lower <= plan.upper).all()
    assert plan.policy_below is None


def test_what_a_long_horizon_leaves_out_is_in_the_bounds():
    horizon, gamma = 2 * LONG, 0.999
    plan = loops(1.0).solve(gamma=gamma, cost=0.0, horizon=horizon, tolerance=1e-3)
    exact = (1 - Fraction(gamma) ** horizon) / (1 - Fraction(gamma))
    assert plan.status == "optimal"
    assert Fraction(plan.lower[0]) <= exact <= Fraction(plan.upper[0])
    assert plan.sweeps < LONG


def test_a_long_horizon_ends_where_values_no_longer_change():
    """A chain to an end: all is known after as many steps as it is long."""
    size = 5
    mdp = make_mdp(
        np.minimum(np.arange(size) + 1, size - 1)[:, None, None],
        np.zeros((size, 1, 1)),
        np.ones(size),
        np.arange(size) == size - 1,
    )
    plan = mdp.solve(gamma=0.9999999, cost=0.0, horizon=10**8)
    assert plan.status == "optimal"
    assert plan.sweeps == LONG
    exact = [float(sum(Fraction(0.9999999) ** i for i in range(n))) for n in (4, 3, 2, 1, 0)]
    np.testing.assert_allclose(plan.values, exact, rtol=1e-12)
    assert plan.error < 1e-6
