"""Watches a plan being made: stops it once it is overtaken or too slow, tells how far it is."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..compiling import compile_clock
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..solvers.iteration.limits import Progress
from ..solvers.plan import Plan

PLAN_SECONDS = 30.0
"""That the plan of a question may take, kernels being ready; then its bounds so far are shown."""
QUIET_SECONDS = 0.5
"""Plans that are quicker tell nothing."""
BETWEEN_SECONDS = 0.2
"""From one telling to the next."""


def solve_within(
    seconds: float,
    mdp: DacMdp,
    objective: Objective,
    *,
    tolerance: float,
    start: Plan | None,
    callback: Callable[[Progress], object],
) -> tuple[Plan, float]:
    """Return a plan, and the seconds in which kernels were compiled meanwhile, by any thread.

    Args:
        seconds: that it may take, compiling of kernels not counted.
        mdp, objective, tolerance, start: see `DacMdp.solve`.
        callback: called after every sweep; it may raise to end the solve.
    """
    with compile_clock() as compiled:

        def watched(seen: Progress) -> bool:
            callback(seen)
            return seen.seconds > seconds + compiled()

        plan = mdp.solve(objective, tolerance=tolerance, start=start, callback=watched)
        return plan, min(compiled(), plan.seconds)


class PlanningWatch:
    """Called by the planner after every sweep.

    Args:
        check: raises `Overtaken` once the plan is no longer wanted.
        tell: is told the share of the work that is done, in decades of the error.
    """

    def __init__(self, check: Callable[[], None], tell: Callable[[float], None]) -> None:
        self._check, self._tell = check, tell
        self._first, self._share, self._next = math.nan, 0.0, QUIET_SECONDS

    def __call__(self, seen: Progress) -> None:
        """Raise `Overtaken`, or take note."""
        self._check()
        if not math.isfinite(self._first) and math.isfinite(seen.error):
            self._first = seen.error
        if seen.seconds < self._next:
            return
        self._next = seen.seconds + BETWEEN_SECONDS
        if 0.0 < seen.allowed < self._first < math.inf and seen.error < math.inf:
            span = math.log(self._first / seen.allowed)
            done = math.log(self._first / max(seen.error, seen.allowed)) / span
            self._share = max(self._share, done)
        self._tell(self._share)
