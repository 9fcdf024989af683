"""Run by `test_cuda` in a process of its own, with NUMBA_ENABLE_CUDASIM=1."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from numba import cuda
from tests.solvers.explicit import KINDS, Explicit, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import backup, reference
from deepaveragers.kernels.cuda import backup as kernels
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers.device import pick
from deepaveragers.solvers.iteration.cuda_guess import CudaTuning, DeviceProblem
from deepaveragers.solvers.iteration.limits import Limits
from deepaveragers.solvers.planner import solve_tuned

OBJECTIVES = {
    "plain": {},
    "k": {"k": 2, "weighting": "uniform"},
    "slip": {"slip": 0.3},
    "always slipping": {"slip": 1.0, "forbidden_actions": [0]},
    "forbidden": {"forbidden_actions": [1], "action_penalties": [0.3, 0.0, -0.2]},
    "adaptive": {"penalty": "adaptive"},
    "masked": {"action_mask": np.arange(36).reshape(12, 3) % 3 != 1, "slip": 0.1},
}
# Small launches: the simulator's threads are slow. The capability is what it says it has.
TUNING = CudaTuning(blocks=2, threads=2, sweeps_per_look=8, oldest=(5, 2))


@pytest.fixture(autouse=True)
def often_switching():
    # The simulator spins while its threads work; let it not spin for long.
    sys.setswitchinterval(1e-5)


def solve(mdp, objective, tolerance=1e-3, max_sweeps=math.inf, tuning=TUNING, **options):
    limits = Limits(time.perf_counter(), math.inf, max_sweeps)
    return solve_tuned(
        mdp, objective, tolerance, limits, device="cuda", cuda_tuning=tuning, **options
    )


@pytest.mark.parametrize("fields", OBJECTIVES.values(), ids=OBJECTIVES.keys())
@pytest.mark.parametrize("kind", ["plain", "endless"])
def test_sweep_equals_reference(fields, kind):
    assert_sweep_equals_reference(fields, kind, TUNING)


def assert_sweep_equals_reference(fields, kind, tuning):
    mdp = random_mdp(3, 12, 3, 3, kind)
    model = pose(mdp, da.Objective(gamma=0.9, **fields))
    values = np.where(model.terminal, 0.0, np.random.default_rng(0).normal(size=12))
    device = DeviceProblem(mdp, model, tuning)
    device.set_values(values)
    smallest, largest = device.improve()
    expected = reference.bellman(model, values)
    change = (expected - values)[~model.terminal]
    assert np.isclose(smallest, change.min(), rtol=1e-12)
    assert np.isclose(largest, change.max(), rtol=1e-12)
    device.step()
    assert np.allclose(device.values(), expected, rtol=1e-6, atol=1e-6)
    assert (device.values()[model.terminal] == 0.0).all()


@pytest.mark.parametrize("fields", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_policy_is_evaluated(fields):
    mdp = random_mdp(5, 12, 3, 3, "plain")
    objective = da.Objective(gamma=0.6, **fields)
    model = pose(mdp, objective)
    device = DeviceProblem(mdp, model, TUNING)
    device.set_values(np.zeros(12))
    device.improve()
    chosen = device._choice.copy_to_host()
    device.evaluate(1e-6)
    available = reference.available_actions(model)
    policy = model.slip * available / available.sum(axis=1, keepdims=True)
    policy[np.arange(12), np.maximum(chosen, 0)] += 1.0 - model.slip
    exact = Explicit(mdp, objective).evaluate(policy)
    assert np.allclose(device.values(), exact, rtol=1e-5, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["policy_iteration", "value_iteration"])
def test_plans_are_certified_and_agree(kind, method):
    for seed in range(2):
        mdp = random_mdp(seed, 10, 2, 2, kind)
        objective = da.Objective(gamma=0.7)
        optimum = Explicit(mdp, objective).optimum()
        plan = solve(mdp, objective, 1e-5, evaluate=method == "policy_iteration")
        slack = 1e-12 * (1.0 + np.abs(optimum).max())
        assert plan.status == "optimal"
        assert (plan.lower <= optimum + slack).all()
        assert (optimum <= plan.upper + slack).all()
        on_cpu = mdp.solve(objective, tolerance=1e-5)
        assert np.abs(plan.values - on_cpu.values).max() <= plan.error + on_cpu.error


@pytest.mark.parametrize("fields", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_objectives_on_the_gpu(fields):
    mdp = random_mdp(8, 12, 3, 3, "chains")
    objective = da.Objective(gamma=0.8, **fields)
    optimum = Explicit(mdp, objective).optimum()
    plan = solve(mdp, objective, 1e-7)
    slack = 1e-11 * (1.0 + np.abs(optimum).max())
    assert plan.status == "optimal"
    assert (plan.lower <= optimum + slack).all()
    assert (optimum <= plan.upper + slack).all()


def test_warm_starts_limits_and_interruptions():
    mdp, objective = random_mdp(2, 12, 2, 2, "endless"), da.Objective(gamma=0.95)
    optimum = Explicit(mdp, objective).optimum()
    first = solve(mdp, objective)
    again = solve(mdp, objective, start=(first.values, first.q_values))
    assert again.sweeps < first.sweeps

    def press_ctrl_c(record):
        if record.sweeps > 1:
            raise KeyboardInterrupt

    stopped = solve(mdp, objective, 1e-9, callback=press_ctrl_c)
    short = solve(mdp, objective, 1e-9, max_sweeps=2)
    assert (stopped.status, short.status) == ("interrupted", "out_of_sweeps")
    for plan in (first, again, stopped, short):
        assert (plan.lower <= optimum + 1e-9).all()
        assert (optimum <= plan.upper + 1e-9).all()


def test_a_gpu_that_gets_stuck_leaves_the_rest_to_the_cpu(monkeypatch):
    monkeypatch.setattr(DeviceProblem, "improve", lambda self: (-1.0, 1.0))
    monkeypatch.setattr(DeviceProblem, "evaluate", lambda self, target: None)
    mdp = random_mdp(2, 12, 2, 2, "endless")
    plan = solve(mdp, da.Objective(gamma=0.9), 1e-6)
    optimum = Explicit(mdp, da.Objective(gamma=0.9)).optimum()
    assert plan.status == "optimal"
    assert (plan.lower <= optimum + 1e-9).all()
    assert (optimum <= plan.upper + 1e-9).all()


def test_the_graph_is_uploaded_once_until_it_is_released(monkeypatch):
    mdp = random_mdp(2, 12, 2, 2)
    solve(mdp, da.Objective(gamma=0.5))
    uploaded = mdp.prepared.device_graph
    assert uploaded is not None
    solve(mdp, da.Objective(gamma=0.6))
    assert mdp.prepared.device_graph is uploaded
    mdp.release()
    assert mdp.prepared.device_graph is None


def test_larger_blocks_reduce_as_well():
    assert_sweep_equals_reference({}, "plain", replace(TUNING, threads=8))


def test_parts_of_an_upload_fit_together():
    mdp = random_mdp(2, 12, 2, 3)
    device = DeviceProblem(mdp, pose(mdp, da.Objective()), replace(TUNING, upload_states=5))
    on_device = device._graph.indices.copy_to_host()
    assert np.array_equal(on_device, mdp.graph.indices.transpose(1, 2, 0))


def test_states_without_actions_are_refused():
    mdp = random_mdp(2, 12, 2, 2, "endless")
    with pytest.raises(da.InputError, match="action_mask"):
        solve(mdp, da.Objective(action_mask=np.zeros((12, 2), bool)))


def test_too_small_and_too_old_gpus_are_refused(monkeypatch):
    mdp = random_mdp(2, 12, 2, 2)
    context = cuda.current_context()
    monkeypatch.setattr(type(context), "get_memory_info", lambda self: (100, 100))
    with pytest.raises(da.InputError, match=r"device.*memory"):
        solve(mdp, da.Objective())
    old = replace(TUNING, oldest=(99, 0), smallest_states=1)
    with pytest.raises(da.InputError, match=r"device.*too old"):
        solve(mdp, da.Objective(), tuning=old)
    assert pick("auto", mdp, da.Objective(), old) == "cpu"


def test_auto_takes_a_gpu_for_large_plain_problems():
    mdp = random_mdp(2, 12, 2, 2)
    assert pick("auto", mdp, da.Objective(), TUNING) == "cpu"
    eager = replace(TUNING, smallest_states=12)
    assert pick("auto", mdp, da.Objective(), eager) == "cuda"
    assert pick("auto", mdp, da.Objective(worst_case=0.1), eager) == "cpu"


def test_both_devices_name_missing_actions_alike():
    assert kernels.NO_ACTION == backup.NO_ACTION
