"""Evaluations that lead astray: what was proved before is not lost."""

from __future__ import annotations

import _thread

import numpy as np
import pytest

from deepaveragers.solvers.iteration.evaluation import PolicyEvaluator
from deepaveragers.solvers.iteration.float64_sweeps import Float64Sweeps

TIGHT = {"gamma": 0.99, "tolerance": 1e-11}


def stop(plan):
    return True


def press_ctrl_c(seen):
    _thread.interrupt_main()


@pytest.mark.parametrize("end", [stop, press_ctrl_c])
def test_a_plan_that_is_stopped_has_the_best_bounds_that_were_proved(model, monkeypatch, end):
    errors = []

    def stray(self, original=Float64Sweeps.evaluate, **options):
        held = original(self, **options)
        self.restart(self.values + np.linspace(-100.0, 100.0, len(self.values)))
        return held

    def watch(seen):
        if seen.error < 1.0:
            errors.append(seen.error)
            monkeypatch.setattr(Float64Sweeps, "evaluate", stray)
        return bool(errors) and seen.error > 10.0 and end(seen)

    optimum = model.solve(**TIGHT)
    plan = model.solve(**TIGHT, callback=watch)
    assert plan.status == "interrupted"
    assert plan.error <= min(errors)
    assert (plan.lower <= optimum.upper).all()
    assert (optimum.lower <= plan.upper).all()


@pytest.mark.parametrize("end", [stop, press_ctrl_c])
@pytest.mark.parametrize("method", ["auto", "value_iteration"])
@pytest.mark.parametrize("sweeps", [1, 2, 4])
def test_nor_is_one_that_is_stopped_anywhere_worse_than_what_was_proved(model, end, method, sweeps):
    errors = []
    misled = model.solve(gamma=0.999, rewards=np.full(len(model), 1e3))

    def watch(seen):
        errors.append(seen.error)
        return len(errors) == sweeps and end(seen)

    # Sweeps are limited so that float64 does it all: the guess in float32 proves nothing.
    asked = {"gamma": 0.99, "tolerance": 1e-9, "max_sweeps": 1_000, "method": method}
    for start in (None, misled):
        errors.clear()
        plan = model.solve(**asked, start=start, callback=watch)
        assert plan.status == "interrupted"
        assert plan.error <= min(errors) * (1.0 + 1e-9)


def test_max_sweeps_are_not_exceeded_for_better_bounds(model):
    asked = {"gamma": 0.999, "tolerance": 1e-9, "max_sweeps": 2}
    plan = model.solve(**asked, callback=lambda seen: seen.sweeps == 2)
    assert plan.sweeps == 2


def test_ctrl_c_after_an_overflow_claims_nothing(model, monkeypatch):
    def overflow(self, system, *arguments, **options):
        system.solution[::7] = np.nan

    def interrupted(self, original=Float64Sweeps.evaluate, **options):
        original(self, **options)
        raise KeyboardInterrupt

    optimum = model.solve(gamma=0.9, tolerance=1e-9)
    monkeypatch.setattr(PolicyEvaluator, "solve", overflow)
    monkeypatch.setattr(Float64Sweeps, "evaluate", interrupted)
    plan = model.solve(gamma=0.9, tolerance=1e-6)
    assert plan.status == "interrupted"
    assert (plan.lower <= optimum.upper).all()
    assert (optimum.lower <= plan.upper).all()


@pytest.mark.parametrize("size", [np.inf, np.nan])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_values_that_float32_cannot_hold_are_dropped(model, monkeypatch, size, tolerance):
    def overflow(self, system, *arguments, **options):
        system.solution[::7] = size

    optimum = model.solve(gamma=0.9, tolerance=1e-9)
    monkeypatch.setattr(PolicyEvaluator, "solve", overflow)
    plan = model.solve(gamma=0.9, tolerance=tolerance)
    assert plan.status == "optimal"
    assert (plan.lower <= optimum.upper).all()
    assert (optimum.lower <= plan.upper).all()


@pytest.mark.parametrize("scale", [1e29, 1e-30])
def test_the_largest_and_the_smallest_rewards_are_planned_alike(model, scale):
    rewards = np.linspace(-1.0, 1.0, len(model))
    usual = model.solve(gamma=0.9, cost=0.0, rewards=rewards, tolerance=1e-6)
    scaled = model.solve(gamma=0.9, cost=0.0, rewards=scale * rewards, tolerance=1e-6)
    assert scaled.status == "optimal"
    error = usual.error + scaled.error / scale
    assert np.abs(scaled.values / scale - usual.values).max() <= error
