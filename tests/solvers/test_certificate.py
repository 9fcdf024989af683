"""The promise: lower <= V* <= upper, and the tolerance that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import GAMMAS, KINDS, Explicit, make_mdp, mdps, random_mdp

import deepaveragers as da
from deepaveragers.solvers.certificate import largest_size


def assert_certified(plan, explicit, optimum):
    # The oracle's own linear solve is no better than this.
    slack = 1e-13 * (1.0 + np.abs(optimum).max()) / (1.0 - explicit.gamma)
    assert (plan.lower <= optimum + slack).all()
    assert (optimum <= plan.upper + slack).all()
    one_step = np.abs(explicit.backup(np.zeros(explicit.size))).max()
    allowed = plan.tolerance * one_step / (1.0 - explicit.gamma)
    assert one_step == 0.0 or plan.error <= allowed * (1.0 + 1e-12)
    assert plan.status == "optimal"


@settings(max_examples=150, deadline=None)
@given(mdps(), GAMMAS, st.sampled_from([0.0, 1.0, 30.0]), st.sampled_from([1e-1, 1e-3, 1e-6]))
def test_bounds_hold_against_policy_iteration(mdp, gamma, cost, tolerance):
    objective = da.Objective(gamma=gamma, cost=cost)
    explicit = Explicit(mdp, objective)
    optimum = explicit.optimum()
    for method in ("policy_iteration", "value_iteration"):
        if method == "value_iteration" and gamma > 0.99:
            continue
        plan = mdp.solve(objective, tolerance=tolerance, method=method)
        assert_certified(plan, explicit, optimum)
        living = ~mdp.transitions.terminations
        assert np.array_equal(plan.values[living], plan.q_values.max(axis=1)[living])
        assert (plan.values[~living] == 0.0).all()
        assert (plan.q_values[~living] == 0.0).all()


@given(st.lists(st.floats(allow_nan=False), max_size=5))
def test_the_largest_size_is_that_of_either_sign(numbers):
    array = np.array(numbers, dtype=np.float64)
    assert largest_size(array) == np.abs(array).max(initial=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gamma", [0.9, 0.9999])
def test_tight_tolerances_are_reached(kind, gamma):
    mdp = random_mdp(7, 200, 3, 4, kind)
    explicit = Explicit(mdp, da.Objective(gamma=gamma))
    plan = mdp.solve(gamma=gamma, tolerance=1e-9)
    assert_certified(plan, explicit, explicit.optimum())


def test_impossible_tolerance_is_refused_at_once():
    mdp = random_mdp(1, 50, 2, 3)
    with pytest.raises(da.InputError, match="tolerance"):
        mdp.solve(gamma=0.999, tolerance=1e-16)


def test_nothing_to_earn_is_exact():
    mdp = make_mdp(np.zeros((3, 1, 1)), np.zeros((3, 1, 1)), [0.0, 0.0, 0.0], [False] * 3)
    plan = mdp.solve()
    assert plan.status == "optimal"
    assert (plan.values == 0.0).all()
    assert plan.error == 0.0


def test_all_terminal():
    mdp = make_mdp(np.zeros((2, 1, 1)), np.zeros((2, 1, 1)), [1.0, -1.0], [True, True])
    plan = mdp.solve()
    assert plan.status == "optimal"
    assert (plan.values == 0.0).all()


def test_a_loop_has_its_geometric_value():
    mdp = make_mdp([[[0]], [[0]]], np.zeros((2, 1, 1)), [2.0, 5.0], [False, False])
    plan = mdp.solve(gamma=0.9, tolerance=1e-10)
    assert np.allclose(plan.values, 20.0, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("size", [30_000])
def test_blocks_and_threads_give_certified_values_and_the_same_bits(size):
    mdp = random_mdp(3, size, 3, 3, "chains")
    plans = [mdp.solve(gamma=0.99, tolerance=1e-4, threads=threads) for threads in (1, 2, 2, 3)]
    for plan in plans[1:]:
        assert np.array_equal(plan.values, plans[0].values)
        assert np.array_equal(plan.q_values, plans[0].q_values)
    fine = mdp.solve(gamma=0.99, tolerance=1e-9)
    assert (plans[0].lower <= fine.upper).all()
    assert (fine.lower <= plans[0].upper).all()


def test_shuffled_rows_give_the_same_values():
    mdp = random_mdp(5, 3000, 2, 2, "chains")
    distances = mdp.graph.distances.copy()
    distances[:, 0, 0] = 0.0
    order = np.random.default_rng(0).permutation(len(mdp))
    rank = np.argsort(order)
    rewards, ends = mdp.transitions.rewards, mdp.transitions.terminations
    plain = make_mdp(mdp.graph.indices, distances, rewards, ends)
    mixed = make_mdp(rank[mdp.graph.indices[order]], distances[order], rewards[order], ends[order])
    one, two = (one.solve(cost=1.0, tolerance=1e-8) for one in (plain, mixed))
    assert np.abs(one.values[order] - two.values).max() <= one.error + two.error
    assert two.sweeps <= one.sweeps + 4


@settings(max_examples=40, deadline=None)
@given(mdps(), st.integers(0, 1000))
def test_renaming_actions_changes_nothing(mdp, seed):
    order = np.random.default_rng(seed).permutation(mdp.transitions.num_actions)
    data, graph = mdp.transitions, mdp.graph
    other = make_mdp(
        graph.indices[:, order], graph.distances[:, order], data.rewards, data.terminations
    )
    one, two = mdp.solve(tolerance=1e-6), other.solve(tolerance=1e-6)
    assert np.abs(one.values - two.values).max() <= one.error + two.error
