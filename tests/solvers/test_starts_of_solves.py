"""Plans that begin with another: the same answer, and what it gained."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.errors import InputError


@pytest.fixture
def model(cartpole: da.Transitions) -> da.DacMdp:
    return da.compile(cartpole, k=5)


def test_last_is_the_last_plan_of_this_model(model: da.DacMdp) -> None:
    nothing_yet = model.solve(gamma=0.9, start="last")
    assert nothing_yet.gain is None
    usual = model.solve(gamma=0.95)
    again = model.solve(gamma=0.95, start="last")
    given = model.solve(gamma=0.95, start=usual)
    np.testing.assert_array_equal(again.values, given.values)
    assert again.sweeps < usual.sweeps


def test_gain_compares_with_the_last_solve_from_nothing(model: da.DacMdp) -> None:
    cold = model.solve(gamma=0.95)
    assert cold.gain is None
    first = model.solve(gamma=0.96, start="last")
    second = model.solve(gamma=0.97, start=first)
    assert first.gain == pytest.approx(cold.seconds / first.seconds)
    assert second.gain == pytest.approx(cold.seconds / second.seconds)
    assert second.summary()["gain"] == second.gain


def test_gain_is_not_measured_by_value_iteration(model: da.DacMdp) -> None:
    model.solve(gamma=0.95, method="value_iteration")
    assert model.solve(gamma=0.96, start="last").gain is None
    cold = model.solve(gamma=0.95)
    model.solve(gamma=0.9, method="value_iteration")
    warm = model.solve(gamma=0.96, start="last")
    assert warm.gain == pytest.approx(cold.seconds / warm.seconds)
    assert model.solve(gamma=0.96, start=warm, method="value_iteration").gain is None


def test_a_horizon_neither_uses_nor_leaves_a_start(model: da.DacMdp) -> None:
    usual = model.solve(gamma=0.95)
    steps = model.solve(gamma=0.95, horizon=3, start="last")
    assert steps.gain is None
    np.testing.assert_array_equal(steps.values, model.solve(gamma=0.95, horizon=3).values)
    again = model.solve(gamma=0.95, start="last")
    np.testing.assert_array_equal(again.values, model.solve(gamma=0.95, start=usual).values)


def test_remembering_does_not_keep_a_model_alive(columns: dict[str, object]) -> None:
    model = da.compile(da.Transitions(**columns), k=1)  # type: ignore[arg-type]
    model.solve()
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("start", ["first", np.zeros(3), 7])
def test_a_start_that_is_no_plan_is_refused(model: da.DacMdp, start: object) -> None:
    with pytest.raises(InputError, match="start"):
        model.solve(start=start)
