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

import time

import numpy as np

from ..arrays import Float64, Int32
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
STATES_AT_ONCE, MOST_ROUNDS = 1_000_000, 64
"""States swept before the clock and the keyboard are looked at, and rounds at most."""


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
        self._junctions = None if model.uniform else Junctions(size, model.width, blocks)

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
        if self._junctions is not None and (self.leaves_links_out or quiet == 0.0):
            reduced = self._junctions.reduced(self.rows)
            if reduced is not None:
                team = self.blocks.team(self._junctions.edges)
                sweeps = self._settle(team, reduced, target, deadline, 0.0)
                self._junctions.expand(reduced, self.rows)
                return sweeps
            self._junctions = None
        return self._settle(self.blocks.team(), self.rows, target, deadline, quiet)

    def _settle(
        self, team: Team, rows: Rows, target: float, deadline: float, quiet: float
    ) -> int:  # fmt: skip
        """Solve a system of all states or of some; return the number of sweeps."""
        size, mixed = len(rows.residual), self._mixed
        space = self._space[: (2 * mixed + 1) * size].reshape(-1, size)
        memory = Memory(
            sweeps=SWEEPS_OF_LARGE if self._large else SWEEPS,
            origin=space[-1],
            kept=space[:mixed],
            moved=space[mixed:-1],
            sums=np.zeros((len(team.edges) - 1, mixed, mixed)),
        )
        team.progress[[LAST, BEST]] = np.inf
        rounds = min(MOST_ROUNDS, max(1, STATES_AT_ONCE // size))
        while not team.progress[DONE] and time.perf_counter() <= deadline:
            self.blocks.together(settle, team, self.lanes, rows, memory, rounds, target, quiet)
        return int(team.progress[MADE])
