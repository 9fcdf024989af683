"""Questions in the order in which they come.

One is stopped when a newer one of its tab overtakes it, or when its tab is closed.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
MOST_TABS = 64
"""Of which the last question is remembered."""


class Overtaken(Exception):
    """Nobody waits for the answer: a newer question of the tab came, or the tab was closed."""


class Turn:
    """One question of a tab, while it waits or is worked on."""

    def __init__(self, sequence: int) -> None:
        self.sequence = sequence
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Have it end as soon as it looks."""
        self._stopped.set()

    def check(self) -> None:
        """Raise `Overtaken` once it was stopped."""
        if self._stopped.is_set():
            raise Overtaken


class Replanning:
    """Lets one question at a time be planned, in threads beside the event loop."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._tabs: OrderedDict[str, Turn] = OrderedDict()

    async def run(
        self,
        tab: str,
        sequence: int,
        work: Callable[[Turn], Result],
        gone: Callable[[], Awaitable[None]] | None = None,
    ) -> Result:
        """Return what the work returns; raise `Overtaken` if it is not the tab's newest.

        Args:
            tab: who asks.
            sequence: grows with each question of a tab.
            work: runs in a thread, and calls `check` of its turn now and then.
            gone: waits until nobody wants the answer any more.
        """
        turn = self._next(tab, sequence)
        watching = asyncio.ensure_future(_stop_after(gone, turn))
        try:
            async with self._one_at_a_time:
                turn.check()
                return await in_thread(work, turn)
        finally:
            turn.stop()  # a request that is cancelled leaves its thread behind
            watching.cancel()

    def _next(self, tab: str, sequence: int) -> Turn:
        last = self._tabs.get(tab)
        if last is not None and last.sequence > sequence:
            raise Overtaken
        if last is not None:
            last.stop()
        turn = self._tabs[tab] = Turn(sequence)
        self._tabs.move_to_end(tab)
        while len(self._tabs) > MOST_TABS:
            self._tabs.popitem(last=False)
        return turn


async def _stop_after(gone: Callable[[], Awaitable[None]] | None, turn: Turn) -> None:
    if gone is not None:
        await gone()
        turn.stop()


async def in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    """Run work beside the event loop, so that other requests are answered meanwhile."""
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)
