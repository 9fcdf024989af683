"""Rewards of any size: the same plan in other units, and bounds that hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.solvers.explicit import make_mdp, random_mdp

import deepaveragers as da

SIZE = 2_500
"""Enough states for the guess in float32."""


def loops(reward: float, distance: float = 0.0) -> da.DacMdp:
    return make_mdp(
        np.arange(SIZE)[:, None, None],
        np.full((SIZE, 1, 1), distance),
        np.full(SIZE, reward),
        np.zeros(SIZE, bool),
    )


def in_units(mdp: da.DacMdp, exponent: int) -> da.DacMdp:
    rewards = np.ldexp(mdp.transitions.rewards, exponent)
    graph = mdp.graph
    return make_mdp(graph.indices, graph.distances, rewards, mdp.transitions.terminations)


@pytest.mark.parametrize("reward", [1e-30, 1e-39, 2e-45, 2.05e-45, -6e-46, 1e-200, 1e-310])
@pytest.mark.parametrize("gamma", [0.5, 0.99])
@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_bounds_hold_for_tiny_rewards(reward, gamma, cost):
    """Distances are 0: so a cost changes nothing, however large beside the rewards."""
    plan = loops(reward).solve(gamma=gamma, cost=cost)
    exact = Fraction(reward) / (1 - Fraction(gamma))
    assert plan.status == "optimal"
    assert Fraction(plan.lower[0]) <= exact <= Fraction(plan.upper[0])
    assert plan.error <= 1.001 * abs(float(exact)) * 1e-3
    assert plan.q_values[0, 0] == plan.values[0]


def test_tiny_rewards_beside_costs_that_are_not_tiny():
    plan = loops(1e-45, 1.0).solve(gamma=0.5, cost=1.0)
    assert plan.lower[0] <= -2.0 <= plan.upper[0]


@pytest.mark.parametrize("exponent", [-70, -140, -1000])
@pytest.mark.parametrize("fields", [{}, {"penalty": "adaptive"}, {"horizon": 7}, {"slip": 0.1}])
def test_another_unit_gives_the_same_plan(exponent, fields):
    """A power of two changes no bit. Cost and penalties are in the unit too."""
    mdp = random_mdp(0, 2_500, 3, 4)
    cost, fee = 0.5, 0.25
    plain = mdp.solve(gamma=0.999, cost=cost, action_penalties={0: fee}, **fields)
    other = in_units(mdp, exponent).solve(
        gamma=0.999,
        cost=np.ldexp(cost, exponent),
        action_penalties={0: np.ldexp(fee, exponent)},
        **fields,
    )
    assert other.status == plain.status == "optimal"
    assert np.array_equal(np.ldexp(other.values, -exponent), plain.values)
    assert np.array_equal(np.ldexp(other.q_values, -exponent), plain.q_values)
    assert np.ldexp(other.error, -exponent) == pytest.approx(plain.error, rel=1e-12)


def test_policies_of_tiny_rewards_are_evaluated():
    mdp = loops(2e-45)
    found = da.policy_values(mdp, np.zeros(SIZE, int), da.Objective(gamma=0.9, cost=0.0))
    exact = Fraction(2e-45) / (1 - Fraction(0.9))
    assert Fraction(found.lower[0]) <= exact <= Fraction(found.upper[0])


def test_a_start_and_a_callback_know_nothing_of_units():
    mdp = random_mdp(0, 2_500, 3, 4)
    start = mdp.solve(gamma=0.9)
    tiny = in_units(mdp, -200)
    seen = []
    plan = tiny.solve(gamma=0.9, cost=0.0, start=start, callback=seen.append)
    assert plan.status == "optimal"
    assert 0.0 < seen[-1].allowed < 1e-40
    assert plan.error <= seen[-1].allowed
    cold = tiny.solve(gamma=0.9, cost=0.0)
    assert np.abs(plan.values - cold.values).max() <= plan.error + cold.error
