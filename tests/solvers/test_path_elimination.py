"""Path elimination: what is left has the same solution, and cycles are solved at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.arrays import Float64, Int64
from deepaveragers.kernels.bellman.policy_system import PolicySystem
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.iteration.evaluation import PolicyEvaluator
from deepaveragers.solvers.iteration.path_elimination import PathElimination
from deepaveragers.solvers.iteration.tuning import Tuning

WIDTH = 3


def system(seed: int, size: int, gamma: float, minor: float, edges: Int64) -> PolicySystem:
    """Return a system in which most states lead to the next one, some end and others branch.

    Args:
        seed: of what is random.
        size: number of states.
        gamma: sum of a row's weights.
        minor: share of the main successor's row that leads elsewhere.
        edges: [blocks + 1], of the blocks of states.
    """
    rng = np.random.default_rng(seed)
    index = rng.integers(size, size=(size, WIDTH)).astype(np.int32)
    # No share of these is so large that its row is taken for one to pass through.
    weight = gamma * (0.9 * rng.dirichlet(np.ones(WIDTH), size) + 0.1 / WIDTH)
    kind = rng.random(size)
    follows = (kind < 0.7) & (np.arange(size) < size - 1)
    index[follows, 0] = np.flatnonzero(follows) + 1
    weight[follows] = gamma * np.array([1.0 - minor, *np.full(WIDTH - 1, minor / (WIDTH - 1))])
    weight[kind > 0.9] = 0.0
    for lo, hi in pairwise(edges):
        own = (index[lo:hi] >= lo) & (index[lo:hi] < hi)
        index[lo:hi][own] += size
    values = rng.normal(size=size).astype(np.float32)
    return PolicySystem(
        index,
        weight.astype(np.float32),
        rng.normal(size=size).astype(np.float32),
        np.concatenate([values, values]),
    )


def matrix_of(rows: PolicySystem) -> Float64:
    """Return I - weights."""
    size = len(rows.constant)
    matrix: Float64 = np.eye(size)
    places = np.arange(size)[:, None], rows.successors % size
    np.add.at(matrix, places, -rows.weight.astype(float))
    return matrix


def solve_by_elimination(rows: PolicySystem, blocks: Blocks) -> int:
    """Solve the smaller system exactly, and write the values of all states; return its size."""
    elimination = PathElimination(len(rows.constant), WIDTH, blocks)
    reduced = elimination.reduced(rows)
    assert reduced is not None
    lacking = np.linalg.solve(matrix_of(reduced), reduced.constant.astype(float))
    reduced.solution[:] = np.concatenate([lacking, lacking])
    elimination.expand(reduced, rows)
    return len(reduced.constant)


BLOCKS = pytest.mark.parametrize(
    "tuning",
    [Tuning(single_block_states=states) for states in (10**6, 20)],
    ids=["one block", "four blocks"],
)


@pytest.mark.slow
@BLOCKS
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(100, 700), st.sampled_from([0.5, 0.99, 0.999]))
def test_without_other_successors_the_solution_is_that_of_all_states(tuning, seed, size, gamma):
    with Blocks(size, 1, tuning) as blocks:
        rows = system(seed, size, gamma, 0.0, blocks.edges)
        exact = np.linalg.solve(matrix_of(rows), rows.constant.astype(float))
        assert solve_by_elimination(rows, blocks) < 0.5 * size
    scale = np.abs(exact).max()
    np.testing.assert_allclose(rows.solution[size:], exact, atol=1e-5 * scale / (1.0 - gamma))
    np.testing.assert_array_equal(rows.solution[:size], rows.solution[size:])


@BLOCKS
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(100, 700))
def test_what_other_successors_add_comes_in_when_repeated(tuning, seed, size):
    with Blocks(size, 1, tuning) as blocks:
        rows = system(seed, size, 0.9, 0.005, blocks.edges)
        exact = np.linalg.solve(matrix_of(rows), rows.constant.astype(float))
        errors = []
        for _ in range(6):
            solve_by_elimination(rows, blocks)
            errors.append(float(np.abs(rows.solution[size:] - exact).max()))
    scale = np.abs(exact).max()
    assert errors[0] <= 0.2 * scale
    assert errors[-1] <= 1e-5 * scale


def test_a_path_back_to_its_kept_state_is_solved_at_once():
    size, gamma = 1_000, 0.9999
    index = np.stack([np.arange(1, size + 1) % size, np.zeros(size), np.zeros(size)], axis=1)
    weight = np.zeros((size, WIDTH), np.float32)
    weight[:, 0] = gamma
    rows = PolicySystem(
        index.astype(np.int32) + size,
        weight,
        np.ones(size, np.float32),
        np.zeros(2 * size, np.float32),
    )
    with Blocks(size, 1) as blocks:
        reduced = PathElimination(size, WIDTH, blocks).reduced(rows)
    assert reduced is not None
    assert reduced.weight.tolist() == [[0.0] * WIDTH]
    assert reduced.constant[0] == pytest.approx(1.0 / (1.0 - gamma), rel=1e-3)


def test_where_few_are_passed_through_all_are_kept():
    with Blocks(500, 1) as blocks:
        rows = system(0, 500, 0.9, 0.3, blocks.edges)
        assert PathElimination(500, WIDTH, blocks).reduced(rows) is None


def test_nothing_but_the_last_digit_of_large_values_is_lost():
    with Blocks(400, 1) as blocks:
        rows = system(0, 400, 0.999, 0.0, blocks.edges)
        rows.weight[rows.weight.sum(axis=1) == 0.0] = 0.333
        rows.constant[:] = np.random.default_rng(0).uniform(0.5, 1.5, 400)
        for _ in range(4):
            solve_by_elimination(rows, blocks)
    values = rows.solution[400:].astype(float)
    defects = rows.constant - matrix_of(rows) @ values
    assert np.abs(defects).max() <= np.spacing(np.float32(values.max()))


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_any_number_of_threads_gives_the_same_bits(threads):
    found = []
    for count in (1, threads):
        with Blocks(30_000, count) as blocks:
            rows = system(1, 30_000, 0.99, 0.005, blocks.edges)
            elimination = PathElimination(30_000, WIDTH, blocks)
            reduced = elimination.reduced(rows)
            assert reduced is not None
            elimination.expand(reduced, rows)
            found.append((elimination.edges, *reduced, rows.solution))
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)


def test_the_planner_eliminates_paths(cartpole, monkeypatch):
    """From most systems that take more than a few sweeps; one over all shows what that missed."""
    found = []

    def solve(self, *arguments, original=PolicyEvaluator._solve_reduced):
        found.append(original(self, *arguments))
        return found[-1]

    monkeypatch.setattr(PolicyEvaluator, "_solve_reduced", solve)
    da.compile(cartpole, k=5).solve(gamma=0.999)
    assert sum(found) > 0.5 * len(found) > 0
