"""Solving in another order of the states changes the way, not the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.solvers.iteration.limits import Limits
from deepaveragers.solvers.iteration.tuning import TUNING
from deepaveragers.solvers.planner import solve_tuned


def in_another_order(model):
    """Return a copy whose states are visited in a random order."""
    copy = replace(model)
    order = np.random.default_rng(1).permutation(len(model))
    copy.prepared.order = order.astype(np.int32)
    return copy


@pytest.mark.parametrize("case", [{}, {"slip": 0.1}, {"forbidden_actions": [0]}, {"k": 1}])
def test_another_order_gives_the_same_values(model, case):
    fresh = in_another_order(model)
    plan = fresh.solve(gamma=0.99, **case)
    exact = model.solve(gamma=0.99, tolerance=1e-9, **case)
    assert plan.converged
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    warm = fresh.solve(gamma=0.98, start=plan, **case)
    cold = model.solve(gamma=0.98, **case)
    assert (warm.lower <= cold.upper).all()
    assert (cold.lower <= warm.upper).all()


def test_policies_are_evaluated_in_another_order_too(model, plan):
    actions = plan.q_values.argmax(axis=1)
    there = da.policy_values(in_another_order(model), actions, tolerance=1e-7)
    here = da.policy_values(model, actions, tolerance=1e-7)
    assert np.allclose(there.values, here.values, atol=there.above + here.below + 1e-9)


def test_same_bits_in_another_order_for_any_number_of_threads(model):
    one, two = (in_another_order(model).solve(threads=threads) for threads in (1, 2))
    assert np.array_equal(one.q_values, two.q_values)


def test_shuffled_trajectories_are_found_again(model):
    shuffled = np.random.default_rng(0).permutation(len(model))
    mdp = da.compile(model.transitions.subset(shuffled), 5)
    mdp.solve()
    order = mdp.prepared.order
    assert sorted(order) == list(range(len(mdp)))
    follows = np.diff(shuffled[order]) == 1
    assert follows.mean() > 0.5


def test_what_was_asked_before_does_not_tell_in_the_bits(model):
    shuffled = np.random.default_rng(0).permutation(len(model))
    data = model.transitions.subset(shuffled)
    fresh, asked = da.compile(data, 5), da.compile(data, 5)
    asked.solve(k=1)
    assert len(asked.prepared.order) == len(asked)
    assert np.array_equal(fresh.solve().q_values, asked.solve().q_values)


def test_what_is_released_is_made_again_and_gives_the_same_bits(model):
    mdp = in_another_order(model)
    mdp.prepared.order = None
    first = mdp.solve(gamma=0.9)
    assert mdp.prepared.nbytes > 0
    mdp.release()
    assert mdp.prepared.nbytes == 0
    assert np.array_equal(mdp.solve(gamma=0.9).q_values, first.q_values)


@pytest.mark.parametrize(
    "case", [{}, {"slip": 0.1}, {"worst_case": 0.1}, {"gamma": 0.999}, {"horizon": 20}, {"k": 2}]
)
@pytest.mark.parametrize("moved", [False, True])
def test_where_values_stand_does_not_tell_in_the_bits(model, case, moved):
    """Nor where rewards are changed, or a plan begins with another."""
    found = []
    for smallest in (0, len(model) + 1):
        mdp = in_another_order(model) if moved else replace(model)
        tuning = replace(TUNING, placed_states=smallest, single_block_states=500)
        objective = da.Objective(**{"gamma": 0.95, **case})
        other = replace(objective, rewards=2.0 * model.transitions.rewards + 1.0)
        first = solve_tuned(mdp, objective, 1e-3, Limits(0.0, np.inf, np.inf), tuning=tuning)
        start = first.values, first.q_values
        again = solve_tuned(
            mdp, other, 1e-3, Limits(0.0, np.inf, np.inf), tuning=tuning, start=start
        )
        found.append((mdp.prepared.packed.packed.place, first.q_values, again.q_values))
    (place, *placed), (own, *in_order) = found
    assert sorted(place) == list(own) == list(range(len(model)))
    assert not np.array_equal(place, own)
    for one, other in zip(placed, in_order, strict=True):
        assert np.array_equal(one, other)
