"""Evaluating a policy: the linear system is solved, by any number of threads alike."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepaveragers.arrays import Float32, Float64, Int32
from deepaveragers.kernels import cpu
from deepaveragers.kernels.evaluation import BEST, DONE, LAST, MADE, Memory, Rows, settle
from deepaveragers.kernels.meeting import ABANDONED, SLOTS, meet
from deepaveragers.kernels.mixing import shares_of
from deepaveragers.kernels.team import GROUP, last_run, piece
from deepaveragers.solvers.blocks import Blocks

WIDTH, KEPT = 3, 5


def settled(
    size: int, threads: int, quiet: float = 0.0, calm: int = 0
) -> tuple[Rows, float]:  # fmt: skip
    """Solve a random system on blocks as the planner makes them.

    Args:
        size: number of states.
        threads: how many work on it.
        quiet: as `settle` takes it.
        calm: how many states, the first, lead to each other only and hardly move.
    """
    rng = np.random.default_rng(size)
    index: Int32 = rng.integers(size, size=(size, WIDTH)).astype(np.int32)
    weight: Float32 = rng.dirichlet(np.ones(WIDTH), size).astype(np.float32) * np.float32(0.95)
    index[:calm] %= max(1, calm)
    residual: Float32 = rng.normal(size=size).astype(np.float32)
    residual[:calm] = 1e-6
    with Blocks(size, threads) as blocks:
        for lo, hi in blocks.bounds:
            own = (index[lo:hi] >= lo) & (index[lo:hi] < hi)
            index[lo:hi][own] += size
        rows = Rows(index, weight, residual, np.zeros(2 * size, np.float32))
        memory = Memory(
            sweeps=2,
            origin=np.zeros(size, np.float32),
            kept=np.zeros((KEPT, size), np.float32),
            moved=np.zeros((KEPT, size), np.float32),
            sums=np.zeros((len(blocks.bounds), KEPT, KEPT)),
        )
        team = blocks.team()
        team.progress[[LAST, BEST]] = np.inf
        while not team.progress[DONE]:
            blocks.together(settle, team, cpu.lanes_of(WIDTH), rows, memory, 2, 1e-5, quiet)
    return rows, float(team.progress[MADE])


def solution(rows: Rows) -> Float64:
    """Return what the system's unknowns are."""
    size = len(rows.residual)
    matrix: Float64 = np.eye(size)
    np.add.at(
        matrix, (np.arange(size)[:, None], rows.successors % size), -rows.weight.astype(float)
    )
    return np.linalg.solve(matrix, rows.residual.astype(float))


@pytest.mark.parametrize("size", [1, 50, 2_000])
def test_settles_on_the_solution_of_the_system(size: int) -> None:
    rows, _ = settled(size, 1)
    np.testing.assert_allclose(rows.correction[size:], solution(rows), atol=1e-5 / (1 - 0.95))


def test_what_hardly_moves_is_left_alone_and_the_rest_is_solved() -> None:
    size, calm = 2_000, 10 * GROUP
    rows, _ = settled(size, 1, quiet=1e-5, calm=calm)
    exact = solution(rows)
    np.testing.assert_allclose(rows.correction[size:], exact, atol=1e-5 / (1 - 0.95))
    left, found = exact[:calm], rows.correction[size : size + calm]
    assert (found < 0.5 * left).all()
    np.testing.assert_array_equal(found, rows.correction[:calm])


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.data())
def test_runs_are_all_that_is_awake(groups: list[bool], data: st.DataObject) -> None:
    hi = data.draw(st.integers(1, GROUP * len(groups)))
    lo = data.draw(st.integers(0, hi // GROUP)) * GROUP
    awake, seen, end = np.array(groups), np.zeros(hi, bool), hi
    while end > lo:
        begin, last = last_run(lo, end, awake)
        assert lo <= begin <= last <= end
        assert not seen[begin:last].any()
        seen[begin:last] = True
        end = begin
    np.testing.assert_array_equal(seen[lo:], np.repeat(awake, GROUP)[lo:hi])


@pytest.mark.parametrize("size", [1, 63, 20_001, 123_457])
def test_no_group_belongs_to_two_parts(size: int) -> None:
    with Blocks(size, 1) as blocks:
        team = blocks.team()
        owners = np.zeros(len(team.awake), int)
        covered = np.zeros(size, int)
        for block in range(len(blocks.bounds)):
            for part in range(team.parts):
                lo, hi = piece(team, block, part)
                covered[lo:hi] += 1
                owners[np.unique(np.arange(lo, hi) // GROUP)] += 1
    assert (covered == 1).all()
    assert (owners == 1).all()


@pytest.mark.parametrize("calm", [0, 9_000])
def test_any_number_of_threads_gives_the_same_bits(calm: int) -> None:
    (one, sweeps), *others = (
        settled(30_000, threads, quiet=1e-5, calm=calm) for threads in (1, 2, 3, 4)
    )
    for other, count in others:
        np.testing.assert_array_equal(one.correction, other.correction)
        assert count == sweeps


def test_shares_minimise_the_mixed_change() -> None:
    rng = np.random.default_rng(0)
    changes = rng.normal(size=(4, 100))
    gram = changes @ changes.T
    shares = np.zeros(4, np.float32)
    shares_of(np.stack([0.25 * gram, 0.75 * gram]), 4, 3, shares)
    assert shares.sum() == pytest.approx(1.0, abs=1e-6)
    least = shares @ gram @ shares
    for _ in range(100):
        other = rng.normal(size=4)
        other /= other.sum()
        assert least <= other @ gram @ other + 1e-6


@pytest.mark.parametrize("gram", [np.zeros((2, 2)), np.full((2, 2), np.nan)])
def test_the_latest_sweep_is_taken_where_there_is_no_mixture(gram: Float64) -> None:
    shares = np.zeros(2, np.float32)
    shares_of(gram[None], 2, 1, shares)
    np.testing.assert_array_equal(shares, [0.0, 1.0])


def test_whoever_waits_for_an_abandoned_meeting_leaves() -> None:
    counters = np.zeros(SLOTS, np.int64)
    came: list[bool] = []
    waiting = Thread(target=lambda: came.append(meet(counters, 2)))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    counters[ABANDONED] = 1
    waiting.join(10.0)
    assert came == [False]


def test_an_interrupted_caller_leaves_nobody_waiting() -> None:
    def interrupted(member: int, members: int, team: object, *_: object) -> None:
        if member == 0:
            raise KeyboardInterrupt
        meet(team.counters, members)  # type: ignore[attr-defined]

    with Blocks(50_000, 2) as blocks, pytest.raises(KeyboardInterrupt):
        blocks.together(interrupted, blocks.team())


def test_a_helper_that_fails_leaves_nobody_waiting() -> None:
    def failing(member: int, members: int, team: object, *_: object) -> None:
        if member == 1:
            raise MemoryError
        meet(team.counters, members)  # type: ignore[attr-defined]

    with Blocks(50_000, 2) as blocks, pytest.raises(MemoryError):
        blocks.together(failing, blocks.team())


def test_after_a_failure_the_crew_works_on() -> None:
    with Blocks(50_000, 3) as blocks:
        with pytest.raises(ZeroDivisionError):
            blocks.run(lambda lo, hi: 1 // lo)
        assert sum(blocks.run(lambda lo, hi: hi - lo)) == 50_000
