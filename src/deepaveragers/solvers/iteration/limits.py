"""When a solve stops before its tolerance is reached, and what it shows meanwhile."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from ...progress import Advance, progress
from ..plan import Status

QUIET_SECONDS = 2.0
"""Solves that are shorter show no progress."""
CALLBACK_SECONDS = 0.2
"""Within an evaluation, after so long the callback is called again."""


@dataclass(frozen=True)
class Progress:
    """What a callback learns after every sweep, and on the CPU within a long evaluation too.

    Attributes:
        sweeps: sweeps over all states and actions so far.
        error: certified error of the values; an estimate while a first guess is made, infinite
            before the first sweep. With a horizon, that of endless steps.
        allowed: the error at which planning stops.
        seconds: time since the start.
    """

    sweeps: int
    error: float
    allowed: float
    seconds: float


Callback = Callable[[Progress], object]
BreakOff = Callable[[], bool]
"""Whether an evaluation is to end before its target."""


@dataclass(frozen=True)
class Limits:
    """When to stop before the tolerance is reached; moments of `time.perf_counter`."""

    began: float
    deadline: float
    max_sweeps: float


class Watch:
    """Looks at the clock, the callback and the number of sweeps, and shows a progress bar.

    The bar is there until the stack that it was given is closed.
    """

    def __init__(self, limits: Limits, callback: Callback | None, stack: ExitStack) -> None:
        self.limits, self._callback, self._stopped = limits, callback, False
        self._stack, self._shown, self._first_error = stack, 0, math.nan
        self._advance: Advance | None = None
        self._last, self._called = (0, math.inf, 0.0), limits.began

    def expect(self, sweeps: int, allowed: float) -> None:
        """Take note, before the first sweep of a solve, of the error at which it stops."""
        self._last = sweeps, math.inf, allowed

    def look(self, sweeps: int, error: float, allowed: float) -> Status | None:
        """Return what ends the solve now, if anything; arguments as of `Progress`."""
        now = self._called = time.perf_counter()
        self._last = sweeps, error, allowed
        self._show_error(error, allowed)
        if self._callback is not None and not self._stopped:
            seen = Progress(sweeps, error, allowed, now - self.limits.began)
            self._stopped = bool(self._callback(seen))
        if self._stopped:
            return "interrupted"
        if now > self.limits.deadline:
            return "out_of_time"
        return "out_of_sweeps" if sweeps >= self.limits.max_sweeps else None

    def ended(self) -> bool:
        """Whether to break off an evaluation, which may take many times as long as a sweep."""
        now = time.perf_counter()
        if self._stopped or now > self.limits.deadline:
            return True
        if self._callback is None or now < self._called + CALLBACK_SECONDS:
            return False
        return self.look(*self._last) is not None

    def show(self, share: float) -> None:
        """Show this share of the work as done, if the solve is long."""
        seconds = time.perf_counter() - self.limits.began
        if seconds < QUIET_SECONDS or not sys.stderr.isatty():
            return
        if self._advance is None:
            self._advance = self._stack.enter_context(progress("planning", 100))
        percent = max(self._shown, int(100 * share))
        self._advance(percent - self._shown)
        self._shown = percent

    def _show_error(self, error: float, allowed: float) -> None:
        """Show how many decades of the error are behind."""
        if not math.isfinite(self._first_error):
            self._first_error = error
        first = self._first_error
        if 0.0 < allowed < first < math.inf and error < math.inf:
            self.show(math.log(first / max(error, allowed)) / math.log(first / allowed))
