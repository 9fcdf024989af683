"""Plans made in blocks: bounds that hold in every round, and the same bits whatever is killed."""

from __future__ import annotations

import logging
import math
import time
from functools import partial

import numpy as np
import pytest
from tests.cluster import harm

import deepaveragers as da
from deepaveragers.cluster.files import whole_array, write_array
from deepaveragers.solvers import sharded
from deepaveragers.solvers.block_files import sweep_block
from deepaveragers.solvers.iteration.limits import Limits
from deepaveragers.solvers.rounds import mixed
from deepaveragers.solvers.sharded import block_bounds, solve_in_blocks

BLOCKS = 3


def world(size=900, length=30, seed=0):
    """Walks of three hidden numbers that five columns show; some end, others are cut."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(size + size // length, 3)).reshape(-1, length + 1, 3)
    hidden = np.cumsum(0.3 * hidden, axis=1)
    shown = np.tanh(hidden @ random.normal(size=(3, 5)))
    steps = len(hidden) * length
    return da.Transitions(
        observations=shown[:, :-1].reshape(steps, 5),
        actions=random.integers(0, 3, steps),
        rewards=hidden[:, 1:, 0].reshape(-1),
        next_observations=shown[:, 1:].reshape(steps, 5),
        terminations=np.arange(steps) % (2 * length) == 2 * length - 1,
        episode_ids=np.arange(steps) // length,
    )


@pytest.fixture(scope="module")
def mdp():
    return da.compile(world(), k=3)


def planned(mdp, work_dir, *, tolerance=1e-3, seconds=math.inf, sweeps=math.inf, see=None, **asked):
    objective = mdp.solve(**{"gamma": 0.95, **asked}, max_sweeps=1).objective
    began = time.perf_counter()
    limits = Limits(began, began + seconds, sweeps)
    return solve_in_blocks(
        mdp, objective, tolerance, limits, see, cluster="auto", work_dir=work_dir, blocks=BLOCKS
    )


def check_bounds(plan, reference):
    assert (plan.lower <= reference.upper).all()
    assert (plan.upper >= reference.lower).all()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"slip": 0.1, "worst_case": 0.2},
        {"penalty": "adaptive", "weighting": "uniform", "forbidden_actions": [1]},
        {"action_penalties": [0.0, 0.5, 0.1], "k": 2, "support": 0.05},
    ],
)
def test_plans_in_blocks_are_plans(asked, mdp, cluster, tmp_path):
    reference = mdp.solve(**{"gamma": 0.95, **asked}, tolerance=1e-9)
    plan = planned(mdp, tmp_path, **asked)
    assert plan.status == "optimal"
    check_bounds(plan, reference)
    assert np.abs(plan.values - reference.values).max() <= plan.error + reference.error
    assert da.load(da.save(plan, tmp_path / "plan")).status == "optimal"  # checked when loaded


def test_bounds_hold_in_every_round(mdp, cluster, tmp_path):
    reference = mdp.solve(gamma=0.95, tolerance=1e-9)
    errors = []
    for rounds in range(1, 60):
        plan = planned(mdp, tmp_path, sweeps=4 * rounds)  # goes on where the last one ended
        check_bounds(plan, reference)
        errors.append(plan.error)
        if plan.status == "optimal":
            break
        assert plan.status == "out_of_sweeps"
    assert plan.status == "optimal"
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0]


def test_a_killed_node_changes_no_bit(mdp, cluster, tmp_path, monkeypatch, caplog):
    expected = planned(mdp, tmp_path / "calm")
    mark = tmp_path / "harmed"
    monkeypatch.setattr(sharded, "sweep_block", partial(harm.kill_solving, str(mark)))
    with caplog.at_level(logging.WARNING, "deepaveragers.cluster"):
        plan = planned(mdp, tmp_path / "harmed-work")
    assert mark.exists()
    assert "tried again, 1 of 3" in caplog.text
    assert plan.sweeps == expected.sweeps
    for name in ("values", "q_values", "below", "above"):
        assert np.array_equal(getattr(plan, name), getattr(expected, name)), name


def test_a_run_that_was_cut_ends_with_the_same_bits(mdp, cluster, tmp_path):
    expected = planned(mdp, tmp_path / "whole", tolerance=1e-5)
    cut = planned(mdp, tmp_path / "cut", tolerance=1e-5, see=lambda seen: seen.sweeps > 10)
    assert cut.status == "interrupted"
    assert planned(mdp, tmp_path / "cut", tolerance=1e-5, seconds=1e-9).status == "out_of_time"
    plan = planned(mdp, tmp_path / "cut", tolerance=1e-5)
    assert plan.sweeps == expected.sweeps
    assert np.array_equal(plan.values, expected.values)
    assert np.array_equal(plan.q_values, expected.q_values)


def test_the_public_door_plans_here_what_fits(mdp, cluster, tmp_path, monkeypatch, capfd):
    expected = mdp.solve(gamma=0.95)
    here = mdp.solve(gamma=0.95, cluster="auto", work_dir=tmp_path)
    assert np.array_equal(here.values, expected.values)
    assert not list(tmp_path.iterdir()), "nothing is written, no cluster is needed"
    assert mdp.solve(gamma=0.95, cluster="auto", work_dir=tmp_path / "two", blocks=2).converged
    with pytest.raises(da.InputError, match="blocks must be None unless"):
        mdp.solve(blocks=2)
    monkeypatch.setattr(sharded, "available_bytes", lambda: 1000)
    plan = mdp.solve(gamma=0.95, cluster="auto", work_dir=tmp_path)
    check_bounds(plan, mdp.solve(gamma=0.95, tolerance=1e-9))
    assert list(tmp_path.glob("plan-*/state.json"))
    with pytest.raises(da.InputError, match="horizon must be None"):
        mdp.solve(gamma=0.95, horizon=5, cluster="auto", work_dir=tmp_path)
    with pytest.raises(da.InputError, match="start must be left alone"):
        mdp.solve(gamma=0.95, start=plan, cluster="auto", work_dir=tmp_path)
    with pytest.raises(da.InputError, match="work_dir must be given"):
        mdp.solve(cluster="auto")


def test_blocks_hold_whole_trajectories():
    ids = np.repeat(np.arange(10), 7)
    assert block_bounds(ids, 4).tolist() == [0, 14, 35, 49, 70]
    assert block_bounds(np.zeros(8, np.int64), 4).tolist() == [0, 2, 4, 6, 8]
    assert block_bounds(np.arange(3), 7).tolist() == [0, 1, 2, 3]


def test_a_sweep_of_blocks_is_the_sweep_of_all(mdp, tmp_path):
    from deepaveragers.kernels.bellman.reference import action_values
    from deepaveragers.mdp.problem import pose
    from deepaveragers.solvers.block_files import BlockFiles, scalars_of

    problem = pose(mdp, mdp.solve(gamma=0.95, max_sweeps=1).objective)
    files = BlockFiles(tmp_path, (0, 300, 600, len(mdp)), scalars_of(problem))
    files.write(problem)
    values = np.where(problem.terminal, 0.0, np.random.default_rng(0).normal(size=len(mdp)))
    write_array(files.values(0), values)
    for block in range(3):
        sweep_block(files, block, 0, 1, False, True)
    q_values = np.concatenate([whole_array(files.q_values(block)) for block in range(3)])
    assert np.allclose(q_values, action_values(problem, values), rtol=1e-13, atol=1e-13)


def test_mixing_solves_linear_maps():
    random = np.random.default_rng(0)
    matrix, shift = 0.9 * random.dirichlet(np.ones(4), 4), random.normal(size=4)
    starts = [random.normal(size=4) for _ in range(5)]
    kept = [matrix @ one + shift for one in starts]
    moved = [result - one for result, one in zip(kept, starts, strict=True)]
    answer = np.linalg.solve(np.eye(4) - matrix, shift)
    assert np.allclose(mixed(kept, moved), answer, atol=1e-4)
    assert np.array_equal(mixed([shift, shift], [np.zeros(4), np.zeros(4)]), shift)
