"""Evaluating a policy: the linear system is solved, by any number of threads alike."""

from __future__ import annotations

from itertools import pairwise
from threading import Event, Thread

import numpy as np
import pytest

from deepaveragers.arrays import Float32, Float64, Int32
from deepaveragers.kernels.bellman.anderson import AndersonMemory, shares_of
from deepaveragers.kernels.bellman.barrier import ABANDONED, SLOTS, wait_for_all
from deepaveragers.kernels.bellman.gauss_seidel import Stopping, solve_system
from deepaveragers.kernels.bellman.policy_system import PolicySystem
from deepaveragers.kernels.bellman.static_width import static_width
from deepaveragers.kernels.bellman.sweep_state import BEST, DONE, MADE, part_of
from deepaveragers.solvers.blocks import Blocks

WIDTH, KEPT = 3, 5
STOPPING = Stopping(rounds=2, target=1e-5, progress_ratio=0.9, patience=50, noise=4e-7)


def settled(size: int, threads: int) -> tuple[PolicySystem, float]:
    """Solve a random system on blocks as the planner makes them, with so many threads."""
    rng = np.random.default_rng(size)
    index: Int32 = rng.integers(size, size=(size, WIDTH)).astype(np.int32)
    weight: Float32 = rng.dirichlet(np.ones(WIDTH), size).astype(np.float32) * np.float32(0.95)
    constant: Float32 = rng.normal(size=size).astype(np.float32)
    with Blocks(size, threads) as blocks:
        for lo, hi in pairwise(blocks.edges):
            own = (index[lo:hi] >= lo) & (index[lo:hi] < hi)
            index[lo:hi][own] += size
        system = PolicySystem(index, weight, constant, np.zeros(2 * size, np.float32))
        memory = AndersonMemory(
            sweeps=2,
            origin=np.zeros(size, np.float32),
            kept=np.zeros((KEPT, size), np.float32),
            moved=np.zeros((KEPT, size), np.float32),
            sums=np.zeros((len(blocks.edges) - 1, KEPT, KEPT)),
        )
        state = blocks.sweep_state()
        state.progress[BEST] = np.inf
        while not state.progress[DONE]:
            blocks.run_together(solve_system, state, static_width(WIDTH), system, memory, STOPPING)
    return system, float(state.progress[MADE])


def solution(system: PolicySystem) -> Float64:
    """Return what the system's unknowns are."""
    size = len(system.constant)
    matrix: Float64 = np.eye(size)
    np.add.at(
        matrix, (np.arange(size)[:, None], system.successors % size), -system.weight.astype(float)
    )
    return np.linalg.solve(matrix, system.constant.astype(float))


@pytest.mark.parametrize("size", [1, 50, 2_000])
def test_settles_on_the_solution_of_the_system(size: int) -> None:
    system, _ = settled(size, 1)
    np.testing.assert_allclose(system.solution[size:], solution(system), atol=1e-5 / (1 - 0.95))


@pytest.mark.parametrize("size", [1, 63, 20_001, 123_457])
def test_every_state_belongs_to_one_part(size: int) -> None:
    with Blocks(size, 1) as blocks:
        state = blocks.sweep_state()
        covered = np.zeros(size, int)
        for block in range(len(blocks.edges) - 1):
            for part in range(state.parts):
                lo, hi = part_of(state, block, part)
                covered[lo:hi] += 1
    assert (covered == 1).all()


def test_any_number_of_threads_gives_the_same_bits() -> None:
    (one, sweeps), *others = (settled(30_000, threads) for threads in (1, 2, 3, 4))
    for other, count in others:
        np.testing.assert_array_equal(one.solution, other.solution)
        assert count == sweeps


def test_shares_minimise_the_mixed_change() -> None:
    rng = np.random.default_rng(0)
    changes = rng.normal(size=(4, 100))
    gram = changes @ changes.T
    shares = shares_of(np.stack([0.25 * gram, 0.75 * gram]), 4, 3)
    assert shares.sum() == pytest.approx(1.0, abs=1e-6)
    least = shares @ gram @ shares
    for _ in range(100):
        other = rng.normal(size=4)
        other /= other.sum()
        assert least <= other @ gram @ other + 1e-6


@pytest.mark.parametrize("gram", [np.zeros((2, 2)), np.full((2, 2), np.nan)])
def test_the_latest_sweep_is_taken_where_there_is_no_mixture(gram: Float64) -> None:
    np.testing.assert_array_equal(shares_of(gram[None], 2, 1), [0.0, 1.0])


def test_whoever_waits_for_an_abandoned_barrier_leaves() -> None:
    counters, began = np.zeros(SLOTS, np.int64), Event()
    came: list[bool] = []

    def wait() -> None:
        began.set()
        came.append(wait_for_all(counters, 2))

    waiting = Thread(target=wait)
    waiting.start()
    began.wait()
    assert came == []
    counters[ABANDONED] = 1
    waiting.join()
    assert came == [False]


def test_an_interrupted_caller_leaves_nobody_waiting() -> None:
    def interrupted(worker: int, workers: int, state: object, *_: object) -> None:
        if worker == 0:
            raise KeyboardInterrupt
        wait_for_all(state.counters, workers)  # type: ignore[attr-defined]

    with Blocks(50_000, 2) as blocks, pytest.raises(KeyboardInterrupt):
        blocks.run_together(interrupted, blocks.sweep_state())


def test_a_worker_that_fails_leaves_nobody_waiting() -> None:
    def failing(worker: int, workers: int, state: object, *_: object) -> None:
        if worker == 1:
            raise MemoryError
        wait_for_all(state.counters, workers)  # type: ignore[attr-defined]

    with Blocks(50_000, 2) as blocks, pytest.raises(MemoryError):
        blocks.run_together(failing, blocks.sweep_state())


def test_after_a_failure_the_workers_go_on() -> None:
    with Blocks(50_000, 3) as blocks:
        with pytest.raises(ZeroDivisionError):
            blocks.run(lambda lo, hi: 1 // lo)
        assert sum(blocks.run(lambda lo, hi: hi - lo)) == 50_000
