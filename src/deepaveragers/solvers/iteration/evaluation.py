"""Evaluating a policy to working accuracy: the inner loop of the planner.

The policy's system (`kernels.bellman.policy_system`) is solved in float32 with Anderson
acceleration, by sweeps that are Gauss-Seidel within a part of a block, Jacobi between parts swept
at the same time. Where that takes more than a few sweeps, the states that paths merely pass through
are left out of it, and found at the end (`kernels.bellman.path_elimination`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Int64
from ...kernels.bellman.anderson import AndersonMemory
from ...kernels.bellman.gauss_seidel import Stopping, solve_system
from ...kernels.bellman.policy_system import PolicySystem
from ...kernels.bellman.problem import Problem
from ...kernels.bellman.static_width import static_width
from ...kernels.bellman.sweep_state import BEST, DONE, MADE, SweepState
from ..blocks import Blocks
from .limits import BreakOff
from .path_elimination import PathElimination


class _Solving(NamedTuple):
    """A system on its way to its solution."""

    state: SweepState
    system: PolicySystem
    memory: AndersonMemory

    @property
    def sweeps(self) -> int:
        return int(self.state.progress[MADE])

    @property
    def done(self) -> bool:
        return bool(self.state.progress[DONE])


class PolicyEvaluator:
    """Solves the systems of the policies of one solve; owns the memory that it takes."""

    def __init__(self, problem: Problem, width: int, blocks: Blocks) -> None:
        size, tuning = problem.size, blocks.tuning
        self._blocks, self._static, self._tuning = blocks, static_width(width), tuning
        self._space = np.empty((2 * tuning.mixed_results + 1) * size, np.float32)
        # Only rows of one action, weighted by distance, have a main successor for sure.
        no_main_successor = problem.uniform or width != problem.k
        self._elimination = None if no_main_successor else PathElimination(size, width, blocks)

    def solve(
        self, system: PolicySystem, target: float, ended: BreakOff, *, briefly: bool = False
    ) -> None:
        """Improve the solution until a sweep changes it by at most the target, or the solve ends.

        Or `briefly`, by a few sweeps, whatever they leave undone.
        """
        plain = self._begin(system)
        limit = self._tuning.plain_sweeps if briefly or self._elimination else math.inf
        self._iterate(plain, target, ended, limit)
        if plain.done or briefly or self._elimination is None or ended():
            return
        if not self._solve_reduced(self._elimination, system, target, ended):
            self._iterate(self._begin(system), target, ended)

    def _solve_reduced(
        self, elimination: PathElimination, system: PolicySystem, target: float, ended: BreakOff
    ) -> bool:
        """Solve the system of the kept states, and sweep over all once.

        Returns whether that sweep came near enough to the target.
        """
        reduced = elimination.reduced(system)
        if reduced is None:
            return False
        kept = self._begin(reduced, elimination.edges)
        self._iterate(kept, target, ended)
        elimination.expand(reduced, system)
        check = self._begin(system, sweeps_at_once=1)
        self._go_on(check, 1, self._tuning.accepted_change * target)
        return check.done or ended()

    def _begin(
        self, system: PolicySystem, edges: Int64 | None = None, sweeps_at_once: int | None = None
    ) -> _Solving:
        """Prepare the solution of a system of all states, or of some in blocks with other edges."""
        size, mixed = len(system.constant), self._tuning.mixed_results
        space = self._space[: (2 * mixed + 1) * size].reshape(-1, size)
        state = self._blocks.sweep_state(edges)
        state.progress[BEST] = np.inf
        memory = AndersonMemory(
            sweeps=sweeps_at_once or self._tuning.sweeps_per_mixture,
            origin=space[-1],
            kept=space[:mixed],
            moved=space[mixed:-1],
            sums=np.zeros((len(state.edges) - 1, mixed, mixed)),
        )
        return _Solving(state, system, memory)

    def _iterate(
        self, solving: _Solving, target: float, ended: BreakOff, most_sweeps: float = math.inf
    ) -> None:
        """Sweep and mix until a sweep changes little enough, or for a number of sweeps."""
        size, tuning = len(solving.system.constant), self._tuning
        while not solving.done and solving.sweeps < most_sweeps and not ended():
            rounds = min(tuning.most_rounds, max(1, tuning.states_per_call // size))
            if math.isfinite(most_sweeps):
                left = int(most_sweeps) - solving.sweeps
                rounds = min(rounds, -(-left // solving.memory.sweeps))
            self._go_on(solving, rounds, target)

    def _go_on(self, solving: _Solving, rounds: int, target: float) -> None:
        """Make some rounds of sweeps and a mixture in one call of the kernel."""
        tuning = self._tuning
        stopping = Stopping(
            rounds, target, tuning.progress_ratio, tuning.patience_of_mixtures, tuning.float32_noise
        )
        self._blocks.run_together(solve_system, solving.state, self._static, *solving[1:], stopping)
