"""The proof from the float32 table: how far a backup can be off, and who needs the graph."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import Explicit, make_mdp, mdps, random_mdp

import deepaveragers as da
from deepaveragers.kernels import reference
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers import blocks, draft, layout, order
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.draft import Draft
from deepaveragers.solvers.layout import Layout
from deepaveragers.solvers.proof import Proof
from deepaveragers.solvers.table import table_of
from deepaveragers.solvers.task import Limits, Task
from deepaveragers.solvers.workspace import Workspace


def backup_by_table(mdp, objective, values, shuffle=None):
    """Return T V by the table, Q, what of V it read, and the bound on its error."""
    model = pose(mdp, objective)
    with Blocks(len(mdp), 1) as team:
        work = Workspace(model, team, None if shuffle is None else Layout(shuffle))
        guess = Draft(work, table_of(replace(mdp), work))
        rows = slice(None) if shuffle is None else shuffle
        guess.values[:] = np.tile(values[rows], 2)
        proof = Proof(guess, work)
        read = np.empty(len(mdp))
        read[rows] = guess.values[: len(mdp)]
        proof.sweep()
        return work.values_by_name(), work.q_values_by_name(), read, proof.rounding


def off_by(mdp, objective, values, shuffle=None):
    """Return how far a backup by the table is from the exact one, and the bound on that."""
    model = pose(mdp, objective)
    new, q_values, read, bound = backup_by_table(mdp, objective, values, shuffle)
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
def test_backups_by_the_table_are_within_the_bound(
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
def test_bounds_of_plans_that_the_table_proves(mdp, gamma, cost, weighting, tolerance, offset):
    rewards = mdp.transitions.rewards
    mdp = with_rewards(mdp, rewards + offset)
    cost *= float(np.abs(rewards).max())
    objective = da.Objective(gamma=gamma, cost=cost, weighting=weighting)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draft, "WORTHWHILE", 1)
        plan = mdp.solve(objective, tolerance=tolerance)
    exact = mdp.solve(objective, tolerance=1e-9)
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    explicit = Explicit(mdp, objective)
    chosen = np.eye(explicit.actions)[plan.q_values.argmax(axis=1)]
    worth = explicit.evaluate(np.where(explicit.ended[:, None], 0.0, chosen))
    slack = 1e-13 * (1.0 + np.abs(worth).max()) / (1.0 - gamma)
    assert (exact.lower - worth).max() <= plan.greedy_loss + slack


@pytest.fixture
def in_regions(model, monkeypatch):
    """A copy that is solved in another order, by four blocks."""
    monkeypatch.setattr(order, "LARGE", 1_000)
    monkeypatch.setattr(order, "REGION", 100)
    monkeypatch.setattr(blocks, "SMALL", 500)
    return replace(model)


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
def test_who_needs_the_graph_in_the_order_of_visiting(model, in_regions, asked, made):
    plan = in_regions.solve(**asked)
    kept = layout._LAYOUTS[in_regions]
    assert kept is not None
    assert (kept.graph is not None) == made
    # Not of the model that tests share: it would keep the order that is in force here.
    exact = replace(model).solve(**{**asked, "tolerance": 1e-9, "time_budget": None})
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    if made:
        graph = kept.graph
        in_regions.solve(**asked)
        assert kept.graph is graph


def test_same_bits_for_any_number_of_threads(in_regions):
    one, two = (replace(in_regions).solve(gamma=0.99, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.q_values, two.q_values)
    assert (one.below, one.above) == (two.below, two.above)


def test_rewards_asked_before_do_not_tell_in_the_bits(model, in_regions):
    other = model.transitions.rewards + np.linspace(0.0, 1.0, len(model))
    fresh, asked = replace(in_regions), replace(in_regions)
    asked.solve()
    assert np.array_equal(asked.solve(rewards=other).q_values, fresh.solve(rewards=other).q_values)


def test_a_proof_that_fails_is_followed_by_others(model, monkeypatch):
    """One that the draft promised, but the table cannot give."""

    def fail(self, sweep=Proof.sweep):
        return replace(sweep(self), above=9.0)

    monkeypatch.setattr(Proof, "sweep", fail)
    plan = replace(model).solve(gamma=0.99)
    exact = model.solve(gamma=0.99, tolerance=1e-9)
    assert plan.converged
    assert plan.above < 9.0
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()


def test_a_table_that_was_made_in_another_order_is_not_taken(in_regions):
    """Where a GPU gets stuck, a solve goes on in the states' own order."""
    ends = np.zeros(len(in_regions), bool)
    mdp = replace(in_regions, transitions=replace(in_regions.transitions, terminations=ends))
    objective = da.Objective(rewards=np.random.default_rng(0).normal(size=len(mdp)))
    exact = replace(mdp).solve(objective, tolerance=1e-9)

    def solved_in_their_own_order():
        with Blocks(len(mdp), 1) as team:
            work = Workspace(pose(mdp, objective), team)
            _, proof = Task(mdp, work, 1e-3, Limits(0.0, math.inf, math.inf)).optimize(True, None)
        return work.values - proof.below, work.values + proof.above

    for _ in range(2):
        plan = mdp.solve(objective)
        for lower, upper in ((plan.lower, plan.upper), solved_in_their_own_order()):
            assert (lower <= exact.upper).all()
            assert (exact.lower <= upper).all()
