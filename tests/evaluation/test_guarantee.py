from __future__ import annotations

import math

import numpy as np
import pytest

import deepaveragers as da


def corridor(count=400, seed=0):
    """Deterministic and smooth: s' = s +- 0.1 on [-1, 1], reward -|s'|. V is Lipschitz."""
    generator = np.random.default_rng(seed)
    states = generator.uniform(-1, 1, (count, 1))
    actions = generator.integers(2, size=count)
    following = np.clip(states + np.where(actions == 1, 0.1, -0.1)[:, None], -1, 1)
    return da.Transitions(
        observations=states,
        actions=actions,
        rewards=-np.abs(following[:, 0]),
        next_observations=following,
        terminations=np.zeros(count, dtype=bool),
        episode_ids=np.arange(count),
    )


def true_value(policy, state, gamma, steps=200):
    total = 0.0
    for step in range(steps):
        action = policy.act(np.array([state]))
        state = float(np.clip(state + (0.1 if action == 1 else -0.1), -1, 1))
        total += gamma**step * -abs(state)
    return total


def test_the_lower_bound_holds_where_it_can_be_checked():
    gamma = 0.8
    lipschitz = 1.0 / (1.0 - gamma)  # of B[Q] in this corridor
    mdp = da.compile(corridor(), k=1, encoder=da.Identity())
    for cost in (0.0, 1.0, lipschitz):
        plan = mdp.solve(gamma=gamma, cost=cost, tolerance=1e-8)
        bound = da.guarantee(plan, lipschitz=lipschitz, deterministic=True)
        policy = plan.policy(k=1, lookup="lookahead")
        for row in range(0, 400, 20):
            state = float(mdp.core_features[row, 0])
            real = true_value(policy, state, gamma)
            assert real >= plan.values[row] - plan.error - bound.optimism - 1e-6


def test_a_large_cost_removes_the_optimism():
    plan = da.compile(corridor(), k=1, encoder=da.Identity()).solve(gamma=0.8, cost=10.0)
    bound = da.guarantee(plan, lipschitz=5.0, deterministic=True)
    assert bound.optimism == 0.0
    assert bound.mean_lower_bound == pytest.approx(bound.mean_value - plan.below, abs=1e-12)


def test_terms_are_those_of_the_theorem():
    mdp = da.compile(corridor(), k=2, encoder=da.Identity())
    plan = mdp.solve(gamma=0.9, cost=1.0, weighting="uniform")
    bound = da.guarantee(plan, delta=0.1, lipschitz=3.0)
    samples = mdp.transitions.rewards + 0.9 * plan.values
    low = min(bound.q_range[0], samples.min())
    high = max(bound.q_range[1], samples.max())
    sets = 2 * (2 * 400) ** 1.5
    sampling = (high - low) * math.sqrt(math.log(2 * sets / 0.1) / (2 * 2))
    distances = mdp.graph.distances.mean(axis=2)
    assert bound.sampling == pytest.approx(sampling)
    assert bound.distance_max == pytest.approx(distances.max())
    theorem = (2 * 3.0 * distances.max() + 2 * sampling) / 0.1
    assert bound.loss == pytest.approx(theorem + plan.below + plan.above)


def test_an_unfinished_plan_from_above_is_not_trusted_beyond_its_proof():
    mdp = da.compile(corridor(), k=1, encoder=da.Identity())
    plan = mdp.solve(gamma=0.99, cost=10.0, method="value_iteration", max_sweeps=3)
    assert plan.below > 1.0 > plan.above  # values fall towards the optimum, from 0
    bound = da.guarantee(plan, lipschitz=5.0, deterministic=True)
    exact = mdp.solve(gamma=0.99, cost=10.0, tolerance=1e-8)
    assert bound.mean_lower_bound <= exact.values.mean()


def test_a_horizon_is_not_of_the_theorem():
    with pytest.raises(da.InputError, match="horizon"):
        da.guarantee(da.compile(corridor(), k=1).solve(horizon=3))


def test_thin_places_are_the_far_ones():
    plan = da.compile(corridor(), k=1, encoder=da.Identity()).solve(gamma=0.8)
    bound = da.guarantee(plan)
    assert bound.lipschitz_estimated
    assert bound.thinnest[0].distance == bound.distance_planned_max
    assert list(bound.thinnest) == sorted(bound.thinnest, key=lambda t: -t.distance)


@pytest.mark.parametrize("bad", [{"delta": 0.0}, {"delta": 1.0}, {"lipschitz": -1.0}])
def test_bad_arguments(bad):
    plan = da.compile(corridor(), k=1).solve()
    with pytest.raises(da.InputError):
        da.guarantee(plan, **bad)
