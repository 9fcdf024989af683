"""The planner on a GPU, without one: torch's processor stands in for it."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from tests.solvers.explicit import KINDS, Explicit, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import reference
from deepaveragers.kernels.cuda.operator import DeviceProblem
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers import device
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.device import pick
from deepaveragers.solvers.iteration.cuda_guess import CudaGuess, CudaTuning
from deepaveragers.solvers.iteration.float64_sweeps import Float64Sweeps
from deepaveragers.solvers.iteration.limits import Limits
from deepaveragers.solvers.iteration.tuning import TUNING as PLANNER
from deepaveragers.solvers.planner import solve_tuned
from deepaveragers.solvers.state_order import order_of

torch = pytest.importorskip("torch")
OBJECTIVES = {
    "plain": {},
    "k": {"k": 2, "weighting": "uniform"},
    "slip": {"slip": 0.3},
    "always slipping": {"slip": 1.0, "forbidden_actions": [0]},
    "forbidden": {"forbidden_actions": [1], "action_penalties": [0.3, 0.0, -0.2]},
    "adaptive": {"penalty": "adaptive"},
    "masked": {"action_mask": np.arange(36).reshape(12, 3) % 3 != 1, "slip": 0.1},
}
TUNING = CudaTuning(device="cpu", sweeps_per_look=8)


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    """Let torch say that there is a GPU, with memory enough."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (9, 0))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 30, 1 << 30))


def solve(mdp, objective, tolerance=1e-3, max_sweeps=math.inf, tuning=TUNING, **options):
    limits = Limits(time.perf_counter(), math.inf, max_sweeps)
    return solve_tuned(
        mdp, objective, tolerance, limits, device="cuda", cuda_tuning=tuning, **options
    )


@contextmanager
def on_device(mdp, model):
    """Yield a guess, and the problem on the device."""
    with Blocks(len(mdp), 1) as blocks:
        order = order_of(mdp.prepared, model, PLANNER.order_states)
        sweeps = Float64Sweeps(model, order, blocks)
        guess = CudaGuess(sweeps, evaluate=True, cuda_tuning=TUNING)
        yield guess, guess.on_device()


@pytest.mark.parametrize("fields", OBJECTIVES.values(), ids=OBJECTIVES.keys())
@pytest.mark.parametrize("kind", ["plain", "endless"])
def test_sweep_equals_reference(fields, kind):
    mdp = random_mdp(3, 12, 3, 3, kind)
    model = pose(mdp, da.Objective(gamma=0.9, **fields))
    values = np.where(model.terminal, 0.0, np.random.default_rng(0).normal(size=12))
    with on_device(mdp, model) as (_, problem):
        q_values = problem.action_values(torch.from_numpy(values.astype(np.float32)))
        found = problem.state_values(q_values, q_values.argmax(1))
    expected = reference.bellman(model, values)
    assert np.allclose(found.numpy(), expected, rtol=1e-6, atol=1e-6)
    assert (found.numpy()[model.terminal] == 0.0).all()


@pytest.mark.parametrize("fields", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_policy_is_evaluated(fields):
    mdp = random_mdp(5, 12, 3, 3, "plain")
    objective = da.Objective(gamma=0.6, **fields)
    model = pose(mdp, objective)
    with on_device(mdp, model) as (guess, problem):
        values = torch.zeros(12)
        choice = problem.action_values(values).argmax(1)
        found = guess._follow_policy(problem.sweeps_of(choice), values, 1e-6).numpy()
    available = reference.available_actions(model)
    policy = model.slip * available / available.sum(axis=1, keepdims=True)
    policy[np.arange(12), choice.numpy()] += 1.0 - model.slip
    exact = Explicit(mdp, objective).evaluate(policy)
    assert np.allclose(found, exact, rtol=1e-5, atol=1e-5 * np.abs(exact).max())


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
    monkeypatch.setattr(
        DeviceProblem, "state_values", lambda self, q_values, choice: torch.randn(len(choice))
    )
    monkeypatch.setattr(CudaGuess, "_follow_policy", lambda self, sweep, values, aim: values)
    mdp = random_mdp(2, 12, 2, 2, "endless")
    plan = solve(mdp, da.Objective(gamma=0.9), 1e-6)
    optimum = Explicit(mdp, da.Objective(gamma=0.9)).optimum()
    assert plan.status == "optimal"
    assert (plan.lower <= optimum + 1e-9).all()
    assert (optimum <= plan.upper + 1e-9).all()


def test_the_graph_is_uploaded_once_until_it_is_released():
    mdp = random_mdp(2, 12, 2, 2)
    solve(mdp, da.Objective(gamma=0.5))
    uploaded = mdp.prepared.device_graph
    assert uploaded is not None
    solve(mdp, da.Objective(gamma=0.6))
    assert mdp.prepared.device_graph is uploaded
    mdp.release()
    assert mdp.prepared.device_graph is None


def test_another_graph_is_uploaded_anew():
    mdp = random_mdp(2, 12, 2, 2)
    solve(mdp, da.Objective(gamma=0.5))
    for asked in ({"k": 1}, {"weighting": "uniform"}):
        objective = da.Objective(gamma=0.5, **asked)
        plan = solve(mdp, objective)
        assert plan.converged
        assert np.abs(plan.values - mdp.solve(objective).values).max() <= 2.0 * plan.error


def test_states_without_actions_are_refused():
    mdp = random_mdp(2, 12, 2, 2, "endless")
    with pytest.raises(da.InputError, match="action_mask"):
        solve(mdp, da.Objective(action_mask=np.zeros((12, 2), bool)))


def test_too_small_and_too_old_gpus_are_refused(monkeypatch):
    mdp = random_mdp(2, 12, 2, 2)
    old = replace(TUNING, oldest=(99, 0), smallest_states=1)
    with pytest.raises(da.InputError, match=r"device.*too old"):
        solve(mdp, da.Objective(), tuning=old)
    assert pick("auto", mdp, da.Objective(), old) == "cpu"
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (100, 100))
    with pytest.raises(da.InputError, match=r"device.*memory"):
        solve(mdp, da.Objective())


def test_auto_takes_a_gpu_for_large_plain_problems():
    mdp = random_mdp(2, 12, 2, 2)
    assert pick("auto", mdp, da.Objective(), TUNING) == "cpu"
    eager = replace(TUNING, smallest_states=12)
    assert pick("auto", mdp, da.Objective(), eager) == "cuda"
    assert pick("auto", mdp, da.Objective(worst_case=0.1), eager) == "cpu"


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(device, "has_extra", lambda: False)
    with pytest.raises(da.MissingExtraError, match=r"deepaveragers\[cuda\]"):
        random_mdp(0, 10, 2, 2).solve(device="cuda")
    assert random_mdp(0, 10, 2, 2).solve(device="auto").converged


def test_a_missing_gpu_is_one_sentence(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(da.InputError, match="no CUDA GPU") as refused:
        random_mdp(0, 10, 2, 2).solve(device="cuda")
    assert "device must be 'cpu' on this machine" in str(refused.value)


@pytest.mark.parametrize("fields", [{"worst_case": 0.2}, {"horizon": 3}])
def test_what_a_gpu_does_not_do_is_refused(fields):
    mdp = random_mdp(0, 10, 2, 2)
    with pytest.raises(da.InputError, match=f"device.*{next(iter(fields))}"):
        mdp.solve(device="cuda", **fields)
    mdp.solve(device="auto", **fields)
