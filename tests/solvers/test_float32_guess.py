"""The float32 guess: bounds hold, and it goes on while policies improve."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.explicit import make_mdp

import deepaveragers as da
from deepaveragers.errors import InputError
from deepaveragers.mdp.objective import LARGEST_GAMMA
from deepaveragers.solvers.iteration.evaluation import PolicyEvaluator
from deepaveragers.solvers.iteration.float64_sweeps import Float64Sweeps
from deepaveragers.solvers.iteration.tuning import TUNING


@pytest.mark.parametrize("gamma", [0.0, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("case", [{}, {"forbidden_actions": [0]}, {"penalty": "adaptive"}])
def test_bounds_hold_where_a_guess_is_made(model, gamma, k, case):
    assert len(model) >= TUNING.packed_states
    plan = model.solve(gamma=gamma, k=k, **case)
    exact = model.solve(gamma=gamma, k=k, method="value_iteration", tolerance=1e-8, **case)
    assert plan.converged
    assert exact.converged
    assert (plan.lower <= exact.upper).all()
    assert (plan.upper >= exact.lower).all()


def test_same_bits_for_any_number_of_threads(model):
    one, two = (model.solve(threads=threads) for threads in (1, 2))
    assert np.array_equal(one.q_values, two.q_values)


def test_a_callback_that_says_stop_once_is_heard(model):
    plan = model.solve(gamma=0.99, tolerance=1e-9, callback=lambda seen: seen.sweeps == 1)
    assert plan.status == "interrupted"


def test_the_largest_discount():
    """Every state leads to itself for a reward of 1: V = 1 / (1 - gamma)."""
    size, gamma = 2_500, LARGEST_GAMMA
    states = np.arange(size, dtype=np.float32)[:, None]
    data = da.Transitions(
        observations=states,
        actions=np.zeros(size, int),
        rewards=np.ones(size),
        next_observations=states,
        terminations=np.zeros(size, bool),
    )
    plan = da.compile(data, 1, da.Identity()).solve(gamma=gamma)
    assert plan.converged
    np.testing.assert_allclose(plan.values, 1.0 / (1.0 - gamma), rtol=1e-3)


@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_rows_are_solved_for_their_own_state(monkeypatch, slip):
    """No row reads the value that it is for: a state that leads to itself would take long."""
    size, random, seen = 2_500, np.random.default_rng(0), []

    def solve(self, system, *arguments, original=PolicyEvaluator.solve, **options):
        own = system.successors == np.arange(size, 2 * size)[:, None]
        seen.append(float(system.weight[own].sum()))
        original(self, system, *arguments, **options)

    states = random.normal(size=(size, 2))
    data = da.Transitions(
        observations=states,
        actions=random.integers(2, size=size),
        rewards=random.normal(size=size),
        next_observations=states,
        terminations=np.zeros(size, bool),
    )
    monkeypatch.setattr(PolicyEvaluator, "solve", solve)
    assert da.compile(data, 3).solve(gamma=0.99, slip=slip).converged
    assert seen
    assert not any(seen)


def test_equal_rewards_that_never_end_take_one_improvement():
    size, random = 2_500, np.random.default_rng(0)
    data = da.Transitions(
        observations=random.normal(size=(size, 2)),
        actions=random.integers(2, size=size),
        rewards=np.full(size, -1.0),
        next_observations=random.normal(size=(size, 2)),
        terminations=np.zeros(size, bool),
    )
    plan = da.compile(data, 3).solve(gamma=0.99, cost=0.0)
    assert plan.sweeps == 2  # That, and the one that proves it.
    np.testing.assert_allclose(plan.values, -100.0, rtol=1e-3)


def test_a_discount_that_float32_takes_for_one_is_refused():
    with pytest.raises(InputError, match="gamma"):
        da.Objective(gamma=1.0 - 1e-8)


def test_rewards_written_into_the_same_array_are_seen(model):
    """What is kept of the last plan must not be taken for that of other rewards."""
    rewards = np.full(len(model), 1e6)
    objective = da.Objective(gamma=0.9, rewards=rewards)
    model.solve(objective)
    rewards[:] = np.linspace(0.0, 1.0, len(model))
    plan = model.solve(objective, tolerance=1e-3)
    assert (plan.upper - plan.lower).max() <= 2e-3 / (1.0 - 0.9)


def test_a_guess_goes_on_while_the_policy_still_improves(monkeypatch):
    """One more room is found worth leaving in every round, so that changes hardly shrink."""
    rooms, length = 25, 100
    last = np.arange(rooms * length) % length == length - 1
    states = np.arange(rooms * length)
    on, back = np.where(last, states, states + 1), np.where(last, states - 2 * length + 1, states)
    back[length - 1] = length - 1
    indices = np.repeat(np.stack([on, back], axis=1)[..., None], 2, axis=2)
    rewards = np.where(last, 0.01, 0.0)
    rewards[length - 1] = 100.0
    mdp = make_mdp(indices, np.zeros(indices.shape), rewards, np.zeros(len(states), bool))

    def sweep(self, **options):
        raise AssertionError("float64 had to finish it")

    monkeypatch.setattr(Float64Sweeps, "sweep", sweep)
    plan = mdp.solve(gamma=0.999)
    assert plan.status == "optimal"
    assert plan.sweeps > rooms
    assert plan.values[-length] == pytest.approx(
        0.999 ** (rooms * length - 1) * 1e5, abs=plan.error
    )
