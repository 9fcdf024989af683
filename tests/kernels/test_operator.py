"""The kernels against their specification, and the operator's properties."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import Explicit, mdps

import deepaveragers as da
from deepaveragers.kernels.bellman import reference
from deepaveragers.kernels.bellman.backup import backup
from deepaveragers.kernels.bellman.policy_system import empty_system, write_system
from deepaveragers.mdp.problem import pose

OBJECTIVES = st.builds(
    da.Objective,
    gamma=st.sampled_from([0.0, 0.5, 0.99]),
    cost=st.sampled_from([0.0, 2.0]),
    weighting=st.sampled_from(["inverse", "uniform"]),
    slip=st.sampled_from([0.0, 0.2, 1.0]),
    worst_case=st.sampled_from([0.0, 0.3, 1.0]),
    penalty=st.sampled_from(["linear", "adaptive"]),
)


def some_values(model, seed):
    values = np.random.default_rng(seed).normal(size=model.size) * 5.0
    return np.where(model.terminal, 0.0, values)


@settings(max_examples=100, deadline=None)
@given(mdps(), OBJECTIVES, st.integers(0, 1000))
def test_kernel_equals_reference_and_explicit_table(mdp, objective, seed):
    model = pose(mdp, objective)
    values = some_values(model, seed)
    expected = reference.bellman(model, values)
    assert np.allclose(expected, Explicit(mdp, objective).backup(values), rtol=1e-12, atol=1e-12)
    size, actions = model.indices.shape[:2]
    gains = np.tile(model.rewards + model.gamma * values, 2)
    new, q_values = values.copy(), np.empty((size, actions))
    choice = np.empty(size, np.int32)
    smallest, largest, _, stuck = backup(0, size, 0, model, False, gains, new, q_values, choice)
    assert stuck == 0
    assert np.allclose(new, expected, rtol=1e-12, atol=1e-12)
    assert np.allclose(q_values, reference.action_values(model, values), rtol=1e-12, atol=1e-12)
    living = ~model.terminal
    if living.any():
        assert smallest == (new - values)[living].min()
        assert largest == (new - values)[living].max()


@settings(max_examples=60, deadline=None)
@given(mdps(), OBJECTIVES, st.integers(0, 1000))
def test_a_policys_system_is_the_operator_at_the_values(mdp, objective, seed):
    model = pose(mdp, objective)
    values = some_values(model, seed)
    expected = reference.bellman(model, values)
    size, actions = model.indices.shape[:2]
    gains = np.tile(model.rewards + model.gamma * values, 2)
    new, q_values, choice = values.copy(), np.empty((size, actions)), np.empty(size, np.int32)
    backup(0, size, 0, model, False, gains, new, q_values, choice)
    system = empty_system(size, model.width)
    gains = np.tile(model.rewards + model.gamma * values, 2)
    write_system(0, size, model, gains, values, choice, system)
    index, weight, constant = system[:3]
    # A row solved for its own state: weights and right-hand side grew by the same factor.
    grown = (1.0 - weight.sum(axis=1)) / (1.0 - model.gamma)
    change = grown * (expected - values)
    living = ~model.terminal
    assert (grown[living] > 1.0 - 1e-3).all()
    size_of_change = np.abs(expected).max() + np.abs(values).max()
    assert np.allclose(constant[living], change[living], rtol=1e-3, atol=1e-5 * size_of_change)
    own = index == np.arange(size)[:, None] + size
    assert not own.any()
    assert (weight[~living] == 0.0).all()
    assert ((index % size >= 0) & (index < 2 * size)).all()


@settings(max_examples=60, deadline=None)
@given(mdps(), OBJECTIVES, st.integers(0, 1000), st.floats(0.0, 100.0))
def test_operator_is_monotone_and_contracts(mdp, objective, seed, shift):
    model = pose(mdp, objective)
    values = some_values(model, seed)
    raised = values + np.random.default_rng(seed + 1).random(model.size) * shift
    low, high = reference.bellman(model, values), reference.bellman(model, raised)
    rounding = 1e-10 * (1.0 + np.abs(high).max())
    assert (low <= high + rounding).all()
    assert (high - low <= model.gamma * (raised - values).max() + rounding).all()


@settings(max_examples=60, deadline=None)
@given(mdps())
def test_weights_sum_to_one(mdp):
    model = pose(mdp, da.Objective())
    total = reference.weights(model).sum(axis=2)
    there = reference.neighbors_there(model).any(axis=2)
    assert np.allclose(total[there], 1.0, rtol=1e-12)
    assert (total[~there] == 0.0).all()
