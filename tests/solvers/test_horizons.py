"""Horizons: bounds that hold where gamma is near 1, and plans that end however long they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.solvers.explicit import KINDS, make_mdp, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import packed, reference
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.iteration.float64_sweeps import Float64Sweeps
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


LARGE = 2_500
"""States from which on steps sweep over the packed MDP."""


def induced(mdp, objective, steps):
    """Return V after so many steps, by the equations."""
    model, values = pose(mdp, objective), np.zeros(len(mdp))
    for _ in range(steps):
        best = reference.action_values(model, values).max(axis=1)
        values = np.where(model.terminal, 0.0, best)
    return values


def off_by(plan, values):
    """Return how far a plan is from the right values, which rounding in float64 may change."""
    slack = 1e-12 * (1.0 + np.abs(values).max())
    return max(0.0, float(np.abs(plan.values - values).max()) - slack)


@pytest.fixture
def packed_steps(monkeypatch):
    """Count the steps over the packed MDP."""
    seen = []

    def sweep(self, *arguments, original=Float64Sweeps.sweep_packed):
        seen.append(self.count)
        return original(self, *arguments)

    monkeypatch.setattr(Float64Sweeps, "sweep_packed", sweep)
    return seen


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"gamma": 0.9999, "weighting": "uniform", "cost": 100.0},
        {"gamma": 0.9, "penalty": "adaptive", "action_penalties": {0: 0.3}},
    ],
)
def test_steps_over_the_packed_mdp_are_within_the_bound(kind, fields, packed_steps):
    mdp = random_mdp(3, LARGE, 3, 4, kind)
    objective = da.Objective(**{"gamma": 0.99, "cost": 1.0, "horizon": 30, **fields})
    plan = mdp.solve(objective)
    assert len(packed_steps) == 29
    assert plan.status == "optimal"
    assert plan.sweeps == 30
    assert off_by(plan, induced(mdp, objective, 30)) <= plan.error
    scale = np.abs(induced(mdp, objective, 1)).max() / (1.0 - objective.gamma)
    assert plan.error <= plan.tolerance * scale


@pytest.mark.parametrize(
    "asked",
    [{"tolerance": 1e-9}, {"slip": 0.1}, {"worst_case": 0.2}, {"horizon": 3}],
)
def test_other_steps_sweep_over_the_graph(asked, packed_steps):
    mdp = random_mdp(3, LARGE, 3, 4)
    plan = mdp.solve(**{"gamma": 0.99, "cost": 1.0, "horizon": 12, **asked})
    assert packed_steps == []
    assert plan.error <= 1e-9 * np.abs(plan.values).max()


@pytest.mark.parametrize("gamma", [0.0, 1e-9, 0.99])
@pytest.mark.parametrize("moment", [1, 2, 5])
def test_an_interrupted_step_over_the_packed_mdp_is_bounded(moment, gamma, monkeypatch):
    mdp, horizon = random_mdp(3, LARGE, 3, 4), 20
    objective = da.Objective(gamma=gamma, cost=1.0, horizon=horizon)
    once = iter(range(1, 100))

    def run(self, kernel, *arguments, original=Blocks.run):
        if kernel is packed.backup_packed and next(once) == moment:
            original(self, lambda lo, hi: kernel(lo, (lo + hi) // 2, *arguments))
            raise KeyboardInterrupt
        return original(self, kernel, *arguments)

    monkeypatch.setattr(Blocks, "run", run)
    plan = mdp.solve(objective)
    assert plan.status == "interrupted"
    assert plan.sweeps == moment
    assert off_by(plan, induced(mdp, objective, horizon)) <= plan.error


def test_stopped_early_over_the_packed_mdp_the_bounds_hold(packed_steps):
    mdp, horizon = random_mdp(3, LARGE, 3, 4), 200
    objective = da.Objective(gamma=0.9, cost=1.0, horizon=horizon)
    plan = mdp.solve(objective, max_sweeps=60)
    assert plan.status == "out_of_sweeps"
    assert len(packed_steps) == 59
    assert off_by(plan, induced(mdp, objective, horizon)) <= plan.error
    assert plan.error <= 0.1 * np.abs(plan.values).max()
