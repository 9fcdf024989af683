"""Barriers: threads that wait for each other inside a kernel.

Handing work to a Python thread takes half as long as a sweep over 100,000 rows. So the threads
that evaluate a policy stay inside one kernel, and wait by looking at a counter: about a
microsecond. One that waits for longer offers its processor to others between looks. It sleeps
only much later: a processor that falls idle may take longer to come back than a whole sweep.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from ...arrays import Int64
from ..jit import kernel
from ..llvm import start_of

ARRIVED, ABANDONED = 0, 1
SLOTS = 2
LOOKS, OFFERS, MICROSECONDS = 500, 20_000, 50
"""Looks at the counter before the processor is offered to others, offers before a sleep (some
10 ms), and how long that lasts. `docs/journal/planner.md` says what sleeping cost."""

_give_way = types.ExternalFunction("sched_yield", types.int32())
_sleep = types.ExternalFunction("usleep", types.int32(types.uint32))


def _arrive(typing: Any, counters: Any) -> Any:
    """Count one more arrival; return how many were there before."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        counter = start_of(context, builder, signature.args[0], args[0])
        one = context.get_constant(types.int64, 1)
        return builder.atomic_rmw("add", counter, one, "acq_rel")

    return types.int64(counters), emit


def _look(typing: Any, counters: Any, slot: Any) -> Any:
    """Read a counter that other threads write."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        counter = start_of(context, builder, signature.args[0], args[0])
        return builder.load_atomic(builder.gep(counter, [args[1]]), "acquire", 8)

    return types.int64(counters, types.int64), emit


# Called from kernels without the typing context, hence Any.
arrive: Any = intrinsic(_arrive)
look: Any = intrinsic(_look)


@kernel
def wait_for_all(counters: Int64, workers: int) -> bool:
    """Wait until all workers are here; false if they will never be.

    Counters [SLOTS] are zeros before the first barrier. Who cannot come sets `ABANDONED`.
    """
    if workers == 1:
        return True
    before = arrive(counters)
    expected = (before // workers + 1) * workers
    looks = 0
    while look(counters, ARRIVED) < expected:
        looks += 1
        if looks > LOOKS + OFFERS:
            if look(counters, ABANDONED) != 0:
                return False
            _sleep(np.uint32(MICROSECONDS))
        elif looks > LOOKS:
            _give_way()
    return True
