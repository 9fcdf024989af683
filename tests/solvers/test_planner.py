"""Limits, interruptions, warm starts, and what the planner refuses."""

from __future__ import annotations

import _thread
import math

import numpy as np
import pytest
from tests.solvers.explicit import Explicit, make_mdp, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import backup
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.iteration import float32_guess, limits


@pytest.fixture(scope="module")
def mdp():
    return random_mdp(11, 400, 3, 3, "chains")


@pytest.fixture(scope="module")
def optimum(mdp):
    return Explicit(mdp, da.Objective(gamma=0.999)).optimum()


def assert_bounds(plan, optimum):
    slack = 1e-9 * (1.0 + np.abs(optimum).max())
    assert (plan.lower <= optimum + slack).all()
    assert (optimum <= plan.upper + slack).all()


@pytest.mark.parametrize("sweeps", [1, 2, 3])
@pytest.mark.parametrize("method", ["policy_iteration", "value_iteration"])
def test_out_of_sweeps(mdp, optimum, sweeps, method):
    plan = mdp.solve(gamma=0.999, tolerance=1e-9, max_sweeps=sweeps, method=method)
    assert plan.status == "out_of_sweeps"
    assert plan.sweeps == sweeps
    assert not plan.converged
    assert_bounds(plan, optimum)


def test_out_of_time(mdp, optimum):
    plan = mdp.solve(gamma=0.999, tolerance=1e-9, time_budget=1e-9)
    assert plan.status == "out_of_time"
    assert_bounds(plan, optimum)


def test_callback_sees_the_error_fall_and_may_stop(mdp, optimum):
    seen = []
    mdp.solve(gamma=0.999, callback=seen.append)
    assert seen[-1].error <= seen[-1].allowed
    sweeps = [record.sweeps for record in seen]
    assert sweeps == sorted(sweeps)
    assert sorted(set(sweeps)) == list(range(1, sweeps[-1] + 1))
    plan = mdp.solve(gamma=0.999, tolerance=1e-9, callback=lambda record: record.sweeps == 2)
    assert plan.status == "interrupted"
    # The first sweep proved more here, and one more proves it again.
    assert seen[0].error < seen[1].error
    assert plan.sweeps == 3
    assert plan.error <= seen[0].error
    assert_bounds(plan, optimum)


def test_interruption_gives_the_bounds_so_far(mdp, optimum):
    def press_ctrl_c(record):
        if record.sweeps == 3:
            _thread.interrupt_main()

    plan = mdp.solve(gamma=0.999, tolerance=1e-9, callback=press_ctrl_c, method="value_iteration")
    assert plan.status == "interrupted"
    assert plan.sweeps >= 3
    assert math.isfinite(plan.error)
    assert_bounds(plan, optimum)


@pytest.mark.parametrize("moment", [1, 2, 5])
def test_an_interrupted_horizon_is_bounded(mdp, monkeypatch, moment):
    objective = da.Objective(gamma=0.99, horizon=20)
    exact = mdp.solve(objective)
    once = iter(range(1, 100))

    def run(self, kernel, *arguments, original=Blocks.run):
        found = original(self, kernel, *arguments)
        if kernel is backup.backup and next(once) == moment:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Blocks, "run", run)
    plan = mdp.solve(objective)
    assert plan.status == "interrupted"
    assert plan.sweeps < 20
    assert (plan.lower <= exact.upper).all()
    assert (exact.lower <= plan.upper).all()
    living = ~mdp.transitions.terminations
    assert np.array_equal(plan.values[living], plan.q_values.max(axis=1)[living])


@pytest.mark.parametrize("change", [{}, {"gamma": 0.9}, {"cost": 3.0}, {"forbidden_actions": [0]}])
def test_warm_start_changes_no_answer(mdp, change):
    first = mdp.solve(gamma=0.99)
    fields = {"gamma": 0.99, **change}
    cold, warm = (
        mdp.solve(**fields, tolerance=1e-7),
        mdp.solve(**fields, tolerance=1e-7, start=first),
    )
    assert warm.status == "optimal"
    assert np.abs(cold.values - warm.values).max() <= cold.error + warm.error
    if not change:
        assert warm.sweeps <= cold.sweeps


@pytest.mark.parametrize("limit", [{"max_sweeps": 1}, {"max_sweeps": 2}, {"tolerance": 2.0}])
def test_bounds_of_a_warm_start_cut_short_belong_to_its_values(mdp, optimum, limit):
    start = mdp.solve(gamma=0.5, cost=9.0)
    plan = mdp.solve(gamma=0.999, start=start, **{"tolerance": 1e-9, **limit})
    assert_bounds(plan, optimum)
    assert np.array_equal(
        plan.values, np.where(mdp.transitions.terminations, 0.0, plan.q_values.max(axis=1))
    )


def test_start_of_another_mdp_is_refused(mdp):
    other = random_mdp(0, 30, 3, 3).solve()
    with pytest.raises(da.InputError, match="start"):
        mdp.solve(start=other)


def test_value_iteration_agrees(mdp):
    one = mdp.solve(gamma=0.95, tolerance=1e-6)
    two = mdp.solve(gamma=0.95, tolerance=1e-6, method="value_iteration")
    assert np.abs(one.values - two.values).max() <= one.error + two.error
    assert one.sweeps < two.sweeps


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": 0.0},
        {"tolerance": -1.0},
        {"tolerance": math.nan},
        {"method": "magic"},
        {"time_budget": 0.0},
        {"max_sweeps": 0},
        {"threads": 0},
        {"device": "abacus"},
    ],
)
def test_wrong_options_are_refused(mdp, options):
    with pytest.raises(da.InputError, match=next(iter(options))):
        mdp.solve(**options)


def test_value_iteration_goes_on_from_an_earlier_plan():
    mdp = da.compile(da.collect("CartPole-v1", steps=300, seed=0, show_progress=False), k=3)
    cold = mdp.solve(method="value_iteration")
    warm = mdp.solve(method="value_iteration", start=cold)
    assert warm.sweeps < cold.sweeps


def test_a_plan_does_not_change(mdp):
    plan = mdp.solve(gamma=0.9)
    for array in (plan.values, plan.q_values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.mark.parametrize("reward", [1e30, 1e37, 1e40, 1e300])
def test_values_beyond_the_planner_are_refused(mdp, model, reward):
    for asked in (mdp, model):
        rewards = np.random.default_rng(0).normal(size=len(asked)) * reward
        with pytest.raises(da.InputError, match="rewards and costs"):
            asked.solve(gamma=0.9, rewards=rewards)


@pytest.mark.parametrize("cost", [1e32, 1e38, 1e39, 1e300, 1.7e308])
def test_costs_beyond_the_planner_are_refused(mdp, model, cost):
    for asked in (mdp, model):
        with pytest.raises(da.InputError, match="rewards and costs"):
            asked.solve(gamma=0.9, cost=cost)


@pytest.mark.parametrize("reward", [1e39, -1e39, -1e300])
def test_the_same_reward_everywhere_is_refused_by_its_size(model, reward):
    asked = ({"rewards": np.full(len(model), reward)}, {"action_penalties": [reward, reward]})
    for fields in asked:
        with pytest.raises(da.InputError, match="rewards and costs"):
            model.solve(gamma=0.9, **fields)


@pytest.mark.parametrize("sweeps", [1, 2, 3, 5, 8])
def test_bounds_are_never_wider_than_without_any_sweep(model, sweeps):
    gamma = 0.999
    one_step = np.abs(model.solve(gamma=0.0, cost=1.0, tolerance=1e-9).values).max()
    reach = one_step / (1.0 - gamma) * (1.0 + 1e-4)
    plan = model.solve(gamma=gamma, cost=1.0, tolerance=1e-9, max_sweeps=sweeps)
    assert plan.status == "out_of_sweeps"
    assert plan.above <= reach - plan.values.min()
    assert plan.below <= reach + plan.values.max()
    optimum = model.solve(gamma=gamma, cost=1.0, tolerance=1e-6)
    assert (plan.lower <= optimum.upper).all()
    assert (optimum.lower <= plan.upper).all()


@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_nor_when_interrupted_before_the_first_sweep(model, monkeypatch, cost):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    gamma = 0.99
    one_step = np.abs(model.solve(gamma=0.0, cost=cost, tolerance=1e-9).values).max()
    optimum = model.solve(gamma=gamma, cost=cost, tolerance=1e-6)
    monkeypatch.setattr(float32_guess, "packed_mdp", interrupted)
    plan = model.solve(gamma=gamma, cost=cost)
    assert plan.status == "interrupted"
    reach = one_step / (1.0 - gamma) * (1.0 + 1e-4)
    assert plan.above <= reach - plan.values.min()
    assert plan.below <= reach + plan.values.max()
    assert plan.error <= reach
    assert (plan.lower <= optimum.upper).all()
    assert (optimum.lower <= plan.upper).all()


def test_what_acting_on_an_unfinished_plan_loses_is_not_understated():
    places = np.tile([[0.0], [0.0], [1.0], [1.0]], (10, 1))
    data = da.Transitions(
        observations=places,
        actions=np.tile([0, 1, 0, 1], 10),
        rewards=np.tile([0.01, -50.0, 0.01, 0.01], 10),
        next_observations=np.tile([[0.0], [1.0], [0.0], [0.0]], (10, 1)),
        terminations=np.zeros(40, bool),
        truncations=np.ones(40, bool),
    )
    mdp = da.compile(data, k=1, encoder=da.Identity())
    misled = mdp.solve(rewards=np.tile([-1e4, -198.0, 200.0, 200.0], 10))
    plan = mdp.solve(start=misled, method="value_iteration", max_sweeps=2)
    best = mdp.solve(tolerance=1e-8).values
    worth = da.policy_values(mdp, plan.q_values.argmax(axis=1), plan.objective, tolerance=1e-8)
    assert (best - worth.values).max() > plan.below + plan.above
    assert (best - worth.values).max() <= plan.greedy_loss


def leaky_mdp(size: int, length: int, share: float) -> da.DacMdp:
    """Return trajectories in a row, of which every step may also end the episode."""
    rng = np.random.default_rng(0)
    ends, starts = 12, np.arange(12, size - length + 1, length)
    successors = np.minimum(np.arange(size) + 1, size - 1)
    last = np.append(starts[1:] - 1, size - 1)
    successors[last] = rng.choice(starts, len(last))
    indices = np.stack([successors, rng.integers(0, ends, size)], axis=1)
    distances = np.broadcast_to([0.0, 1e-5 * (1.0 - share) / share - 1e-5], (size, 2))
    return make_mdp(indices[:, None], distances[:, None], np.ones(size), np.arange(size) < ends)


@pytest.mark.parametrize("size", [1_500, 5_000])
@pytest.mark.parametrize("unit", [1.0, 1e20])
@pytest.mark.parametrize("length", [3, 100])
def test_small_chances_of_an_end_do_not_mislead(size, unit, length):
    mdp = leaky_mdp(size, length, 0.009)
    plan = mdp.solve(gamma=0.99999, cost=0.0, rewards=np.full(size, unit))
    assert plan.status == "optimal"
    assert plan.sweeps <= 60
    assert np.isfinite(plan.values).all()


@pytest.mark.parametrize("raises", [False, True])
def test_a_callback_is_heard_within_an_evaluation(mdp, optimum, monkeypatch, raises):
    monkeypatch.setattr(limits, "CALLBACK_SECONDS", 0.0)
    seen = []

    def stop_at_a_repeated_sweep(record):
        seen.append(record.sweeps)
        repeated = seen[-2:-1] == [record.sweeps]
        if repeated and raises:
            raise StopIteration
        return repeated

    options = {"gamma": 0.999, "tolerance": 1e-9, "callback": stop_at_a_repeated_sweep}
    if raises:
        with pytest.raises(StopIteration):
            mdp.solve(**options)
    else:
        plan = mdp.solve(**options)
        assert plan.status == "interrupted"
        assert_bounds(plan, optimum)
    assert seen[-2] == seen[-1]


def test_a_callback_before_the_first_sweep_knows_what_is_allowed(model, monkeypatch):
    start = model.solve(gamma=0.9)
    monkeypatch.setattr(limits, "CALLBACK_SECONDS", 0.0)
    seen = []
    model.solve(gamma=0.999, start=start, callback=seen.append)
    assert seen[0].sweeps == 0
    assert math.isinf(seen[0].error)
    assert {record.allowed for record in seen} == {seen[-1].allowed}
    assert seen[-1].error <= seen[-1].allowed
