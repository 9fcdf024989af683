"""Plans that begin with another: the same answer, sooner."""

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


def test_a_start_saves_sweeps(model: da.DacMdp) -> None:
    usual = model.solve(gamma=0.95)
    again = model.solve(gamma=0.95, start=usual)
    assert again.sweeps < usual.sweeps
    assert np.abs(again.values - usual.values).max() <= again.error + usual.error


def test_a_horizon_does_not_use_a_start(model: da.DacMdp) -> None:
    usual = model.solve(gamma=0.95)
    steps = model.solve(gamma=0.95, horizon=3, start=usual)
    np.testing.assert_array_equal(steps.values, model.solve(gamma=0.95, horizon=3).values)


def test_what_is_prepared_does_not_keep_a_model_alive(columns: dict[str, object]) -> None:
    model = da.compile(da.Transitions(**columns), k=1)  # type: ignore[arg-type]
    model.solve()
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("start", ["first", "last", np.zeros(3), 7])
def test_a_start_that_is_no_plan_is_refused(model: da.DacMdp, start: object) -> None:
    with pytest.raises(InputError, match="start"):
        model.solve(start=start)
