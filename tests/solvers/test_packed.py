"""The proof from the packed MDP: how far a backup can be off, and who needs the graph."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import Explicit, make_mdp, mdps, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import reference
from deepaveragers.mdp.prepared import Prepared
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.iteration.float32_guess import Float32Guess
from deepaveragers.solvers.iteration.float64_sweeps import Float64Sweeps
from deepaveragers.solvers.iteration.limits import Limits
from deepaveragers.solvers.iteration.tuning import Tuning
from deepaveragers.solvers.planner import solve_tuned
from deepaveragers.solvers.state_order import OWN, StateOrder

NO_LIMITS = Limits(0.0, math.inf, math.inf)


def backup_by_packed(mdp, objective, values, shuffle=None):
    """Return T V by the packed MDP, Q, what of V it read, and the bound on its error."""
    problem = pose(mdp, objective)
    with Blocks(len(mdp), 1) as blocks:
        order = StateOrder(OWN if shuffle is None else shuffle, Prepared())
        sweeps = Float64Sweeps(problem, order, blocks)
        guess = Float32Guess(sweeps)
        rows = slice(None) if shuffle is None else shuffle
        guess._values[:] = np.tile(values[rows], 2)
        proof = guess._prove(math.inf, stopped=True)
        read = np.empty(len(mdp))
        read[rows] = guess._values[: len(mdp)]
        if proof is None:  # values beyond what any bound is given for
            return None
        new, q_values = order.restored(sweeps.values), order.restored(sweeps.q_values)
        return new, q_values, read, proof.rounding


def off_by(mdp, objective, values, shuffle=None):
    """Return how far a backup by the packed MDP is from the exact one, and the bound on that."""
    model = pose(mdp, objective)
    found = backup_by_packed(mdp, objective, values, shuffle)
    if found is None:
        return 0.0, np.inf
    new, q_values, read, bound = found
    assert (read[model.terminal] == 0.0).all()
    exact = reference.action_values(model, read)
    available = np.isfinite(exact)
    assert np.array_equal(available, np.isfinite(q_values))
    assert np.array_equal(new, np.where(model.terminal, 0.0, q_values.max(axis=1)))
    return np.abs(q_values[available] - exact[available]).max(initial=0.0), bound


def with_rewards(mdp, rewards):
    graph, ends = mdp.graph, mdp.transitions.terminations
    return make_mdp(graph.indices, graph.distances, rewards, ends)


@settings(max_examples=200, deadline=None)
@given(
    mdps(),
    st.sampled_from([0.0, 0.5, 0.99, 0.9999]),
    st.sampled_from([0.0, 1.0, 1e3, 1e6]),
    st.sampled_from(["inverse", "uniform"]),
    st.sampled_from(["linear", "adaptive"]),
    st.sampled_from([1e-44, 1e-30, 1.0, 1e30]),
    st.sampled_from([0.0, 1.0, 1e4, -1e7]),
    st.booleans(),
)
def test_backups_by_the_packed_mdp_are_within_the_bound(
    mdp, gamma, cost, weighting, penalty, size, offset, shuffled
):
    """Large costs, rewards of any size, and values that have a large part in common."""
    mdp = with_rewards(mdp, mdp.transitions.rewards * size)
    objective = da.Objective(gamma=gamma, cost=cost * size, weighting=weighting, penalty=penalty)
    generator = np.random.default_rng(len(mdp))
    values = (generator.normal(size=len(mdp)) + offset) * size
    shuffle = generator.permutation(len(mdp)).astype(np.int32) if shuffled else None
    off, bound = off_by(mdp, objective, values, shuffle)
    assert off <= bound


@pytest.mark.parametrize(
    ("rewards", "values", "cost"),
    [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)],
)
def test_the_bound_is_no_larger_than_it_must_be(rewards, values, cost):
    """Among many backups some come near to it: one that were much smaller would be wrong."""
    size = 20_000
    generator = np.random.default_rng(0)
    states = np.arange(size)
    indices = np.stack([(states + 1) % size, (states + 2) % size], axis=1)[:, None]
    distances = generator.uniform(0.9, 1.0, (size, 1, 2))
    signs = np.where(states % 2 == 0, 1.0, -1.0)
    mdp = make_mdp(indices, distances, rewards * 0.99 * signs, np.zeros(size, bool))
    off, bound = off_by(mdp, da.Objective(gamma=0.99, cost=cost), values * 0.9 * signs)
    assert 0.1 * bound < off <= bound


def test_what_values_have_in_common_costs_nothing():
    mdp = random_mdp(0, 3_000, 2, 5, "endless")
    mdp = with_rewards(mdp, mdp.transitions.rewards * 0.0)
    generator = np.random.default_rng(0)
    values = generator.normal(size=len(mdp))
    _, near = off_by(mdp, da.Objective(cost=0.0), values)
    off, far = off_by(mdp, da.Objective(cost=0.0), values + 1e6)
    assert off <= far < 1.2 * near


def test_a_reward_that_float32_cannot_tell_from_another():
    """Every state leads to itself: V = 2 r, and float32 takes r for 1."""
    size, reward = 2_500, 1.0 + 2.0**-24
    mdp = make_mdp(
        np.arange(size)[:, None, None],
        np.zeros((size, 1, 1)),
        np.full(size, reward),
        np.zeros(size, bool),
    )
    plan = mdp.solve(gamma=0.5)
    assert (plan.values == 2.0).all()
    assert (plan.upper >= 2.0 * reward).all()
    assert plan.error < 1e-5


@settings(max_examples=100, deadline=None)
@given(
    mdps(),
    st.sampled_from([0.0, 0.9, 0.99, 0.999]),
    st.sampled_from([0.0, 1.0, 300.0]),
    st.sampled_from(["inverse", "uniform"]),
    st.sampled_from([1e-2, 1e-3, 1e-5]),
    st.sampled_from([0.0, 1e4]),
)
def test_bounds_of_plans_that_the_packed_mdp_proves(mdp, gamma, cost, weighting, tolerance, offset):
    rewards = mdp.transitions.rewards
    mdp = with_rewards(mdp, rewards + offset)
    cost *= float(np.abs(rewards).max())
    objective = da.Objective(gamma=gamma, cost=cost, weighting=weighting)
    plan = solve_tuned(mdp, objective, tolerance, NO_LIMITS, tuning=Tuning(packed_states=1))
    exact = mdp.solve(objective, tolerance=1e-9)
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    explicit = Explicit(mdp, objective)
    chosen = np.eye(explicit.actions)[plan.q_values.argmax(axis=1)]
    worth = explicit.evaluate(np.where(explicit.ended[:, None], 0.0, chosen))
    slack = 1e-13 * (1.0 + np.abs(worth).max()) / (1.0 - gamma)
    assert (exact.lower - worth).max() <= plan.greedy_loss + slack


@pytest.fixture
def shuffled(model):
    """A copy whose states are visited in another order."""
    copy = replace(model)
    copy.prepared.order = np.random.default_rng(2).permutation(len(model)).astype(np.int32)
    return copy


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        ({}, False),
        ({"gamma": 0.9, "tolerance": 1e-4}, False),
        ({"penalty": "adaptive"}, False),
        ({"weighting": "uniform", "cost": 100.0}, False),
        ({"tolerance": 1e-9, "time_budget": 1e-9}, False),
        ({"tolerance": 1e-8}, True),
        ({"slip": 0.1}, True),
        ({"horizon": 3}, True),
        ({"method": "value_iteration"}, True),
    ],
)
def test_who_needs_the_graph_by_position(model, shuffled, asked, made):
    plan = shuffled.solve(**asked)
    graph = shuffled.prepared.graph
    assert (graph is not None) == made
    exact = replace(model).solve(**{**asked, "tolerance": 1e-9, "time_budget": None})
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    shuffled.solve(**asked)
    assert shuffled.prepared.graph is graph


def test_same_bits_for_any_number_of_threads(shuffled):
    one, two = (
        solve_tuned(
            shuffled, da.Objective(gamma=0.99), 1e-3, NO_LIMITS,
            threads=threads, tuning=Tuning(single_block_states=500),
        )
        for threads in (1, 2)
    )  # fmt: skip
    assert np.array_equal(one.q_values, two.q_values)
    assert (one.below, one.above) == (two.below, two.above)


def test_rewards_asked_before_do_not_tell_in_the_bits(model, shuffled):
    other = model.transitions.rewards + np.linspace(0.0, 1.0, len(model))
    fresh = replace(model)
    fresh.prepared.order = shuffled.prepared.order
    shuffled.solve()
    asked = shuffled.solve(rewards=other)
    assert np.array_equal(asked.q_values, fresh.solve(rewards=other).q_values)


def test_a_proof_that_fails_is_followed_by_others(model, monkeypatch):
    """One that the guess promised, but the packed MDP cannot give."""

    def fail(self, *arguments, sweep=Float64Sweeps.sweep_packed):
        return replace(sweep(self, *arguments), above=9.0)

    monkeypatch.setattr(Float64Sweeps, "sweep_packed", fail)
    plan = replace(model).solve(gamma=0.99)
    exact = model.solve(gamma=0.99, tolerance=1e-9)
    assert plan.converged
    assert plan.above < 9.0
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
