"""Threads that work at the same time, and have all left when the caller goes on.

A thread pool promises neither that all parts of a task run at once, which threads that wait for
each other inside a kernel need, nor that none runs any more after an interruption. Here every
worker has a queue of its own, so a part handed to it is run by it.

A queue wakes a sleeping thread, which takes long where that lets a virtual processor fall idle.
So whoever waits for another looks at a counter for a while first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread

import numpy as np

from ..arrays import Int64
from ..kernels.bellman.barrier import reached

OFFERS = 2_000
"""Offers of the processor to others before a thread sleeps: about a millisecond."""
SECONDS_BETWEEN_LOOKS = 0.05
"""Seconds between looks at whether all are done: a wake-up call may be lost to an interrupt."""


class _Part:
    """What one worker does; `done` once it did."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work, self.done = work, False
        self.failure: BaseException | None = None


class Workers:
    """The caller and its helpers; `size` of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._wake: SimpleQueue[None] = SimpleQueue()
        # How many parts each helper was given so far; and first, how many they have done.
        self._counts: Int64 = np.zeros(size, np.int64)
        self._given = 0
        self._queues: list[SimpleQueue[_Part | None]] = [SimpleQueue() for _ in range(size - 1)]
        self._threads = [
            Thread(target=self._serve, args=(worker, queue), name="planner", daemon=True)
            for worker, queue in enumerate(self._queues, 1)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, work: Callable[[int], None], abandon: Callable[[], None] = lambda: None) -> None:
        """Run work(worker) as every worker at the same time; raise what one of them raised.

        Args:
            work: gets the number of the worker, 0 for the caller.
            abandon: called when the caller is interrupted, so that nobody waits for it.
        """
        parts = [_Part(partial(work, worker)) for worker in range(1, self.size)]
        try:
            self._hand_out(parts)
            work(0)
            self._await(parts)
        except BaseException:
            self._dismiss(abandon)
            raise
        for part in parts:
            if part.failure is not None:
                raise part.failure

    def close(self) -> None:
        """Let the helpers go."""
        for queue in self._queues:
            queue.put(None)
        for thread in self._threads:
            thread.join()

    def _hand_out(self, parts: list[_Part]) -> None:
        for worker, (queue, part) in enumerate(zip(self._queues, parts), 1):
            queue.put(part)
            self._counts[worker] += 1
            self._given += 1

    def _serve(self, worker: int, queue: SimpleQueue[_Part | None]) -> None:
        taken = 0
        while True:
            taken += 1
            reached(self._counts, worker, taken, OFFERS)
            part = queue.get()
            if part is None:
                return
            try:
                part.work()
            except BaseException as failure:
                part.failure = failure
            part.done = True
            self._wake.put(None)
            self._counts[0] += 1

    def _await(self, parts: list[_Part]) -> None:
        reached(self._counts, 0, self._given, OFFERS)
        while not all(part.done for part in parts):
            try:
                self._wake.get(timeout=SECONDS_BETWEEN_LOOKS)
            except Empty:
                continue

    def _dismiss(self, abandon: Callable[[], None]) -> None:
        """Wait until the helpers are through with all they were given, whatever interrupts."""
        while True:
            try:
                abandon()
                last = [_Part(lambda: None) for _ in self._queues]
                self._hand_out(last)
                self._await(last)
            except KeyboardInterrupt:
                continue
            return
