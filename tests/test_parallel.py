"""Jobs in threads: what fails is raised, the rest is left, and nothing of it stays in memory."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from deepaveragers.parallel import do_all
from deepaveragers.solvers.workers import Workers


class Stopped(Exception):
    """What a job raises here."""


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.usefixtures("no_collector")
def test_a_job_that_stopped_leaves_nothing_behind(threads: int) -> None:
    """What it held is free at once, not when the garbage collector comes by."""
    held: list[weakref.ref[np.ndarray]] = []

    def job(given: np.ndarray) -> None:
        large = given + 1.0
        held.append(weakref.ref(large))
        raise Stopped(len(large))

    def stopped() -> None:
        given = np.zeros(1000)
        held.append(weakref.ref(given))
        do_all([lambda: job(given)] * 3, threads)

    with contextlib.suppress(Stopped):
        stopped()
    assert len(held) >= 2
    assert all(kept() is None for kept in held)


@pytest.mark.usefixtures("no_collector")
def test_workers_that_stopped_leave_nothing_behind() -> None:
    held: list[weakref.ref[np.ndarray]] = []
    workers = Workers(2)

    def work(worker: int) -> None:
        large = np.zeros(1000)
        held.append(weakref.ref(large))
        if worker == 1:
            raise Stopped(len(large))

    with contextlib.suppress(Stopped):
        workers.run(work)
    workers.close()
    assert len(held) == 2
    assert all(kept() is None for kept in held)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_failure_is_raised_and_no_further_job_begins(threads: int) -> None:
    done: list[int] = []

    def job(number: int) -> None:
        if number == 1:
            raise Stopped(number)
        done.append(number)

    with pytest.raises(Stopped, match="1"):
        do_all([lambda number=number: job(number) for number in (0, 1, 2, 3, 4, 5)], threads)
    assert 0 in done
    if threads == 1:
        assert done == [0]
