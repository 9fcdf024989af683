"""Single requests decided together: those that arrive while others are decided upon.

Nothing waits for company. A request is decided in the next round of the event loop, with all others
that were read in this one: alone when there is little to do, up to `TOGETHER` at once under
load, where a decision then takes a fifth of the time (`python -m benchmarks.serving load`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..policy.deciding import Decisions
from .current import Served

TOGETHER = 16
"""Decisions at once: up to here the search answers in one call, see `neighbors.tuning`."""


@dataclass(frozen=True, eq=False)
class _Waiting:
    served: Served
    row: Array
    place: asyncio.Future[tuple[Decisions, int]]


class Batcher:
    """Collects single observations, and decides upon them in the next round of the loop.

    Args:
        together: decisions at once, at most.
    """

    def __init__(self, together: int = TOGETHER) -> None:
        self._together = together
        self._waiting: list[_Waiting] = []

    async def decide(self, served: Served, row: Array) -> tuple[Decisions, int]:
        """Return decisions, and the place of this one among them.

        Args:
            served: the policy that decides.
            row: [1, ...] the observation.
        """
        loop = asyncio.get_running_loop()
        place: asyncio.Future[tuple[Decisions, int]] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._decide_all)
        self._waiting.append(_Waiting(served, row, place))
        return await place

    def _decide_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        groups: dict[tuple[int, str], list[_Waiting]] = {}
        for one in waiting:
            # Rows of one type only: NumPy would turn all into the wider one.
            groups.setdefault((id(one.served), one.row.dtype.str), []).append(one)
        for group in groups.values():
            for start in range(0, len(group), self._together):
                _decide(group[start : start + self._together])


def _decide(group: list[_Waiting]) -> None:
    policy = group[0].served.acting
    try:
        rows = group[0].row if len(group) == 1 else np.concatenate([one.row for one in group])
        decisions = policy.decide_batch(rows)
    except Exception as error:
        if len(group) > 1:
            for one in group:  # one of them is to blame: each is decided alone
                _decide([one])
        elif not group[0].place.done():
            group[0].place.set_exception(error)
        return
    for place, one in enumerate(group):
        if not one.place.done():
            one.place.set_result((decisions, place))
