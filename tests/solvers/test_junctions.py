"""Leaving links out: what is left has the same solution, and cycles are solved at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.arrays import Float64
from deepaveragers.kernels.evaluation import Rows
from deepaveragers.solvers import blocks as blocks_module
from deepaveragers.solvers.blocks import Blocks
from deepaveragers.solvers.correction import Corrector
from deepaveragers.solvers.junctions import Junctions

WIDTH = 3


def system(seed: int, size: int, gamma: float, minor: float, bounds: list[tuple[int, int]]) -> Rows:
    """Return a system in which most states lead to the next one, some end and others branch.

    Args:
        seed: of what is random.
        size: number of states.
        gamma: sum of a row's weights.
        minor: share of a link's weights that leads elsewhere.
        bounds: the blocks of states.
    """
    rng = np.random.default_rng(seed)
    index = rng.integers(size, size=(size, WIDTH)).astype(np.int32)
    # No share of these is so large that its row is taken for a link's.
    weight = gamma * (0.9 * rng.dirichlet(np.ones(WIDTH), size) + 0.1 / WIDTH)
    kind = rng.random(size)
    follows = (kind < 0.7) & (np.arange(size) < size - 1)
    index[follows, 0] = np.flatnonzero(follows) + 1
    weight[follows] = gamma * np.array([1.0 - minor, *np.full(WIDTH - 1, minor / (WIDTH - 1))])
    weight[kind > 0.9] = 0.0
    for lo, hi in bounds:
        own = (index[lo:hi] >= lo) & (index[lo:hi] < hi)
        index[lo:hi][own] += size
    values = rng.normal(size=size).astype(np.float32)
    return Rows(
        index,
        weight.astype(np.float32),
        rng.normal(size=size).astype(np.float32),
        np.concatenate([values, values]),
    )


def matrix_of(rows: Rows) -> Float64:
    """Return I - weights."""
    size = len(rows.residual)
    matrix: Float64 = np.eye(size)
    places = np.arange(size)[:, None], rows.successors % size
    np.add.at(matrix, places, -rows.weight.astype(float))
    return matrix


def solve_by_junctions(rows: Rows, blocks: Blocks) -> int:
    """Solve the smaller system exactly, and write the values of all states; return its size."""
    junctions = Junctions(len(rows.residual), WIDTH, blocks)
    reduced = junctions.reduced(rows)
    assert reduced is not None
    lacking = np.linalg.solve(matrix_of(reduced), reduced.residual.astype(float))
    reduced.correction[:] = np.concatenate([lacking, lacking])
    junctions.expand(reduced, rows)
    return len(reduced.residual)


@pytest.fixture(params=[10**6, 20], ids=["one block", "four blocks"])
def small(request, monkeypatch):
    monkeypatch.setattr(blocks_module, "SMALL", request.param)


@pytest.mark.usefixtures("small")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(100, 700), st.sampled_from([0.5, 0.99, 0.999]))
def test_without_other_successors_the_solution_is_that_of_all_states(seed, size, gamma):
    with Blocks(size, 1) as blocks:
        rows = system(seed, size, gamma, 0.0, blocks.bounds)
        exact = np.linalg.solve(matrix_of(rows), rows.residual.astype(float))
        assert solve_by_junctions(rows, blocks) < 0.5 * size
    scale = np.abs(exact).max()
    np.testing.assert_allclose(rows.correction[size:], exact, atol=1e-5 * scale / (1.0 - gamma))
    np.testing.assert_array_equal(rows.correction[:size], rows.correction[size:])


@pytest.mark.usefixtures("small")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(100, 700))
def test_what_other_successors_add_comes_in_when_repeated(seed, size):
    with Blocks(size, 1) as blocks:
        rows = system(seed, size, 0.9, 0.005, blocks.bounds)
        exact = np.linalg.solve(matrix_of(rows), rows.residual.astype(float))
        errors = []
        for _ in range(6):
            solve_by_junctions(rows, blocks)
            errors.append(float(np.abs(rows.correction[size:] - exact).max()))
    scale = np.abs(exact).max()
    assert errors[0] <= 0.2 * scale
    assert errors[-1] <= 1e-5 * scale


def test_a_path_back_to_its_junction_is_solved_at_once():
    size, gamma = 1_000, 0.9999
    index = np.stack([np.arange(1, size + 1) % size, np.zeros(size), np.zeros(size)], axis=1)
    weight = np.zeros((size, WIDTH), np.float32)
    weight[:, 0] = gamma
    rows = Rows(
        index.astype(np.int32) + size,
        weight,
        np.ones(size, np.float32),
        np.zeros(2 * size, np.float32),
    )
    with Blocks(size, 1) as blocks:
        reduced = Junctions(size, WIDTH, blocks).reduced(rows)
    assert reduced is not None
    assert reduced.weight.tolist() == [[0.0] * WIDTH]
    assert reduced.residual[0] == pytest.approx(1.0 / (1.0 - gamma), rel=1e-3)


def test_where_few_are_links_all_are_kept():
    with Blocks(500, 1) as blocks:
        rows = system(0, 500, 0.9, 0.3, blocks.bounds)
        assert Junctions(500, WIDTH, blocks).reduced(rows) is None


def test_nothing_but_the_last_digit_of_large_values_is_lost():
    with Blocks(400, 1) as blocks:
        rows = system(0, 400, 0.999, 0.0, blocks.bounds)
        rows.weight[rows.weight.sum(axis=1) == 0.0] = 0.333
        rows.residual[:] = np.random.default_rng(0).uniform(0.5, 1.5, 400)
        for _ in range(4):
            solve_by_junctions(rows, blocks)
    values = rows.correction[400:].astype(float)
    defects = rows.residual - matrix_of(rows) @ values
    assert np.abs(defects).max() <= np.spacing(np.float32(values.max()))


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_any_number_of_threads_gives_the_same_bits(threads):
    found = []
    for count in (1, threads):
        with Blocks(30_000, count) as blocks:
            rows = system(1, 30_000, 0.99, 0.005, blocks.bounds)
            junctions = Junctions(30_000, WIDTH, blocks)
            reduced = junctions.reduced(rows)
            assert reduced is not None
            junctions.expand(reduced, rows)
            found.append((junctions.edges, *reduced, rows.correction))
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)


def test_the_planner_leaves_links_out(cartpole, monkeypatch):
    """Of most policies on its way; all states are swept once, to see what that missed."""
    found = []

    def solve(self, *arguments, original=Corrector._solve_junctions):
        sweeps, done = original(self, *arguments)
        found.append(done)
        return sweeps, done

    monkeypatch.setattr(Corrector, "_solve_junctions", solve)
    da.compile(cartpole, k=5).solve(gamma=0.999)
    assert sum(found) > 0.5 * len(found) > 0
