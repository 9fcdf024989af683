"""Staying near the data: which actions are available, at core states and when acting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.explicit import Explicit

import deepaveragers as da
from deepaveragers.mdp.imitation import SIMILAR_CASES, supported
from deepaveragers.mdp.problem import pose

LOOKUPS = ("nearest", "lookahead")


def skewed(size: int = 300, seed: int = 0, actions: int = 3) -> da.Transitions:
    """The first column says which action is usual; one in ten is another."""
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(size + 1, 2))
    usual = np.digitize(states[:-1, 0], [-0.5, 0.5]) % actions
    taken = np.where(rng.random(size) < 0.1, rng.integers(0, actions, size), usual)
    return da.Transitions(
        observations=states[:-1],
        actions=taken,
        rewards=rng.normal(size=size),
        next_observations=states[1:],
        terminations=rng.random(size) < 0.1,
        action_names=[f"act{a}" for a in range(actions)],
    )


def counted(mdp: da.DacMdp, features) -> np.ndarray:
    """Return [B, A] how often each action was taken in the most similar logged states."""
    distances = np.linalg.norm(
        np.asarray(mdp.source_features, float)[None] - np.asarray(features, float)[:, None], axis=2
    )
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :SIMILAR_CASES]
    taken = mdp.transitions.actions[nearest]
    return np.stack([(taken == a).sum(axis=1) for a in range(mdp.transitions.num_actions)], axis=1)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1_000), st.sampled_from([0.1, 0.3, 1.0]), st.booleans())
def test_a_supported_plan_is_that_of_the_explicit_mask(seed, share, forbid):
    mdp = da.compile(skewed(120, seed), k=3)
    objective = da.Objective(gamma=0.9, support=share, forbidden_actions=(0,) if forbid else ())
    counts = counted(mdp, mdp.core_features).astype(float)
    counts[:, list(objective.forbidden_actions)] = -1.0
    mask = counts >= share * counts.max(axis=1, keepdims=True)
    mask[:, list(objective.forbidden_actions)] = False
    plan = mdp.solve(objective, tolerance=1e-8)
    optimum = Explicit(mdp, replace(objective, support=0.0, action_mask=mask)).optimum()
    slack = 1e-9
    assert (plan.lower <= optimum + slack).all()
    assert (optimum <= plan.upper + slack).all()
    living = ~mdp.transitions.terminations
    assert np.array_equal(np.isfinite(plan.q_values[living]), mask[living])


@given(st.integers(0, 1_000), st.floats(0.0, 1.0))
def test_no_state_loses_all_its_actions_and_more_support_never_adds_one(seed, share):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, (20, 3))
    allowed = rng.random((20, 3)) < 0.6
    allowed[np.arange(20), rng.integers(0, 3, 20)] = True
    mask = supported(counts, allowed, share)
    assert mask.any(axis=1).all()
    assert not (mask & ~allowed).any()
    assert not (supported(counts, allowed, min(1.0, share + 0.1)) & ~mask).any()
    assert np.array_equal(supported(counts, allowed, 0.0), allowed)


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_acting_keeps_to_what_the_data_do_there(lookup):
    mdp = da.compile(skewed(), k=3)
    plan = mdp.solve(support=0.5)
    policy = plan.policy(k=5, lookup=lookup)
    states = np.random.default_rng(7).normal(size=(50, 2))
    counts = counted(mdp, mdp.encoder.encode(states))
    allowed = counts >= 0.5 * counts.max(axis=1, keepdims=True)
    found = np.isfinite(policy.q_values(states))
    assert not (found & ~allowed).any()
    assert found.any(axis=1).all()
    assert allowed[np.arange(50), policy.act(states)].all()


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_the_explanation_counts_similar_cases(lookup):
    mdp = da.compile(skewed(), k=3)
    policy = mdp.solve(support=0.5).policy(k=5, lookup=lookup)
    decision = policy.explain([1.5, 0.0])
    counts = counted(mdp, mdp.encoder.encode(np.array([[1.5, 0.0]])))[0]
    assert list(decision.similar.values()) == counts.tolist()
    missing = next(name for name, value in decision.q_values.items() if value == -np.inf)
    assert f"not available here: {decision.similar[missing]} of 31 similar cases" in str(decision)
    assert mdp.solve().policy(k=5, lookup=lookup).explain([1.5, 0.0]).similar == {}


def test_a_plan_with_support_is_saved(tmp_path):
    plan = da.compile(skewed(), k=3).solve(support=0.5)
    da.save(plan, tmp_path / "plan")
    again = da.load(tmp_path / "plan")
    assert again.objective == plan.objective
    states = np.random.default_rng(7).normal(size=(20, 2))
    assert np.array_equal(again.policy().q_values(states), plan.policy().q_values(states))


def test_few_rows_are_all_similar():
    mdp = da.compile(skewed(9), k=3)
    assert mdp.imitation.cases == 9
    assert np.array_equal(mdp.imitation.core_counts, counted(mdp, mdp.core_features))


def test_the_constraint_keeps_to_the_data_too():
    mdp = da.compile(skewed(), k=3)
    signal = np.abs(mdp.transitions.next_observations[:, 1])
    plan = da.solve_constrained(mdp, signal, budget=90.0, objective=da.Objective(support=0.5))
    allowed = pose(mdp, da.Objective(support=0.5)).allowed | mdp.transitions.terminations[:, None]
    assert not (np.isfinite(plan.safe.q_values) & ~allowed).any()
