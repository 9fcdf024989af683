"""Evaluating a policy to working accuracy: the inner loop of the planner.

For values V and a fixed policy, the exact correction e with V + e = V_pi solves the linear
system e = (T_pi V - V) + gamma P_pi e. The right-hand side is computed in float64; the
system is solved in float32, which limits the *relative* accuracy of e only. So repeating
the step (iterative refinement) reaches any accuracy that float64 can certify.

The solver is block Gauss-Seidel with Anderson acceleration: of the last few sweeps' results
g_m, with changes f_m, take the mixture with shares summing to 1 whose mixed change is least,
in a Euclidean norm that weights every state by the square of its last change. The bounds are
in the largest norm, and the slowest changes are often local (a few states that lead to each
other), so the states that still move most must count most.

States that paths merely pass through are left out of the system where they are many, and found
at the end (`kernels.junctions`).
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from ..arrays import Float64, Int32, Int64
from ..kernels import cpu
from ..kernels.evaluation import BEST, DONE, LAST, MADE, Memory, Rows, settle
from ..kernels.model import Model
from ..kernels.single import solve_paths
from ..kernels.team import Team
from .blocks import Blocks
from .junctions import Junctions

LARGE = 200_000
"""States from which on mixing costs as much as sweeping: fewer sweeps are mixed, and less often."""
MEMORY, SWEEPS, MEMORY_OF_LARGE, SWEEPS_OF_LARGE = 6, 2, 5, 3
"""Results mixed, and sweeps before each mixture."""
NEARLY, LEADS_ON, MISLED = 3.0, 0.5, 20
"""Links were left out well if a sweep over all states then changes at most so many times the
target, since another one follows anyway. That is repeated while changes become so much smaller.
Where more sweeps over all states are needed then, it does not pay, and is not tried again."""
STATES_AT_ONCE, MOST_ROUNDS = 1_000_000, 64
"""States swept before the clock and the keyboard are looked at, and rounds at most."""


class _Evaluation(NamedTuple):
    """A system on its way to its solution."""

    team: Team
    rows: Rows
    memory: Memory


class Corrector:
    """Owns the float32 working arrays of one solve."""

    def __init__(self, model: Model, blocks: Blocks) -> None:
        size = model.size
        self.model, self.blocks, self.lanes = model, blocks, cpu.lanes_of(model.width)
        self.rows = Rows(
            successors=np.empty((size, model.width), np.int32),
            weight=np.empty((size, model.width), np.float32),
            residual=np.empty(size, np.float32),
            correction=np.zeros(2 * size, np.float32),
        )
        self._large = size >= LARGE
        self._mixed = MEMORY_OF_LARGE if self._large else MEMORY
        self._space = np.empty((2 * self._mixed + 1) * size, np.float32)
        even = model.uniform or model.width != model.k  # no successor stands out
        self._junctions = None if even else Junctions(size, model.width, blocks)

    @property
    def leaves_links_out(self) -> bool:
        """Whether links are left out of every evaluation.

        Large MDPs are visited region by region, which cuts paths short. There it is quicker to
        leave quiet groups alone, where that is asked for.
        """
        return self._junctions is not None and not self._large

    def linearize(self, model: Model, gains: Float64, values: Float64, choice: Int32) -> float:
        """Take the policy's rows of the model; return its largest residual at the values."""
        found = self.blocks.run(
            cpu.linearize, model, gains, values, choice,
            self.rows.successors, self.rows.weight, self.rows.residual,
        )  # fmt: skip
        return float(max(found))

    def solve(self, target: float, deadline: float, quiet: float = 0.0) -> int:
        """Improve the correction until a sweep changes it by at most the target.

        Args:
            target: change of a sweep to stop at.
            deadline: moment of `time.perf_counter` at which to stop.
            quiet: states whose first changes are smaller are left as those made them.

        Returns:
            the number of sweeps over the policy's rows.
        """
        if self.rows.successors.shape[1] == 1:
            solve_paths(*self.rows)
            return 1
        sweeps = 0
        if self._junctions is not None and (self.leaves_links_out or quiet == 0.0):
            sweeps, done = self._solve_junctions(self._junctions, target, deadline)
            if done:
                return sweeps
            quiet = 0.0
        more = self._settle(self._begin(self.rows), target, deadline, quiet)
        if sweeps and more > MISLED:
            self._junctions = None
        return sweeps + more

    def _solve_junctions(
        self, junctions: Junctions, target: float, deadline: float
    ) -> tuple[int, bool]:  # fmt: skip
        """Leave links out as long as that leads on.

        What it leaves undone shows in a sweep over all states, and is less each time; not so where
        a link's other successors differ from its main one for good, and gamma is near 1.

        Returns:
            the number of sweeps, and whether the last one came near enough to the target.
        """
        sweeps, last = 0, math.inf
        while True:
            reduced = junctions.reduced(self.rows)
            if reduced is None:
                if sweeps == 0:
                    self._junctions = None
                return sweeps, False
            sweeps += self._settle(self._begin(reduced, junctions.edges), target, deadline)
            junctions.expand(reduced, self.rows)
            check = self._begin(self.rows, at_once=1)
            self._go_on(check, 1, NEARLY * target)
            change = float(check.team.changes.max())
            sweeps += 1
            if check.team.progress[DONE] or time.perf_counter() > deadline:
                return sweeps, True
            if not change < LEADS_ON * last:
                return sweeps, False
            last = change

    def _begin(
        self, rows: Rows, edges: Int64 | None = None, at_once: int | None = None
    ) -> _Evaluation:  # fmt: skip
        """Prepare the solution of a system of all states, or of some in blocks with other edges."""
        size, mixed = len(rows.residual), self._mixed
        space = self._space[: (2 * mixed + 1) * size].reshape(-1, size)
        team = self.blocks.team(edges)
        team.progress[[LAST, BEST]] = np.inf
        memory = Memory(
            sweeps=at_once or (SWEEPS_OF_LARGE if self._large else SWEEPS),
            origin=space[-1],
            kept=space[:mixed],
            moved=space[mixed:-1],
            sums=np.zeros((len(team.edges) - 1, mixed, mixed)),
        )
        return _Evaluation(team, rows, memory)

    def _settle(
        self, begun: _Evaluation, target: float, deadline: float, quiet: float = 0.0
    ) -> int:  # fmt: skip
        """Sweep and mix until a sweep changes little enough; return the number of sweeps."""
        rounds = min(MOST_ROUNDS, max(1, STATES_AT_ONCE // len(begun.rows.residual)))
        while not begun.team.progress[DONE] and time.perf_counter() <= deadline:
            self._go_on(begun, rounds, target, quiet)
        return int(begun.team.progress[MADE])

    def _go_on(
        self, begun: _Evaluation, rounds: int, target: float, quiet: float = 0.0
    ) -> None:  # fmt: skip
        team, rows, memory = begun
        self.blocks.together(settle, team, self.lanes, rows, memory, rounds, target, quiet)
