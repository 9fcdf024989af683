"""Sweeps in float64 over the graph, which prove bounds, and iterative refinement between them.

The system of the correction e (`kernels.bellman.policy_system`) has constants that are computed in
float64. It is solved in float32, which limits the *relative* accuracy of e only. So repeating the
step reaches any accuracy that float64 can certify.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...arrays import Float32, Float64, Int32
from ...kernels.bellman.backup import NO_ACTION, backup
from ...kernels.bellman.packed import Packed, backup_packed
from ...kernels.bellman.policy_system import PolicySystem, empty_system, write_system
from ...kernels.bellman.problem import Problem
from ...kernels.bellman.static_width import static_width
from ..blocks import Blocks
from ..certificate import Certificate, certify, certify_backups
from ..state_order import StateOrder
from .evaluation import PolicyEvaluator
from .limits import BreakOff


class Float64Sweeps:
    """Values on their way to the optimum, by position.

    Attributes:
        posed: the problem with its states in their own order.
        order: their positions.
        blocks: of positions, which threads sweep.
        problem: the problem by position; its graph is there only if positions are the states' own
            numbers.
        evaluator: of policies.
        values: [N] float64.
        q_values: [N, A] float64, of the last sweep.
        choice: [N] int32, the best action at the last sweep.
        stuck: states that have no action and did not end an episode.
        largest_distance_cost: the largest price x distance at the last sweep.
        count: sweeps over all states and actions so far.
    """

    def __init__(self, posed: Problem, order: StateOrder, blocks: Blocks) -> None:
        size, actions = posed.indices.shape[:2]
        self.posed, self.order, self.blocks = posed, order, blocks
        self.problem = order.without_graph(posed)
        self.evaluator = PolicyEvaluator(self.problem, self.problem.width, blocks)
        self.values: Float64 = np.zeros(size)
        self.q_values: Float64 = np.empty((size, actions))
        self.choice: Int32 = np.empty(size, np.int32)
        self.stuck, self.largest_distance_cost, self.count = 0, 0.0, 0
        self._gains: Float64 = np.empty(2 * size)
        self._gains_are_old = True

    @cached_property
    def _whole(self) -> Problem:
        """The problem with its graph, by position."""
        indices, distances = self.order.graph(self.posed, self.blocks)
        return self.problem._replace(indices=indices, distances=distances)

    @cached_property
    def _system(self) -> PolicySystem:
        """Of the correction; its solution is 0 but while a policy is evaluated."""
        return empty_system(self.problem.size, self.problem.width)

    def restart(self, values: Float64) -> None:
        """Go on from other values; 0 where states ended, and where float32 overflowed."""
        self.values[:] = np.where(self.problem.terminal | ~np.isfinite(values), 0.0, values)
        self._gains_are_old = True

    def prefer(self, q_values: Float64) -> None:
        """Choose by other action values [N, A], among the actions that are available."""
        preferred = np.where(self.q_values > -np.inf, q_values, -np.inf).argmax(axis=1)
        self.choice[:] = np.where(self.choice == NO_ACTION, self.choice, preferred)

    def recover(self) -> None:
        """Make the arrays agree again after an interruption."""
        self._system.solution[:] = 0.0
        self.restart(self.values)  # an evaluation may just have overflowed

    def sweep(self, *, in_place: bool = True) -> Certificate:
        """Apply the Bellman operator once, and say what that proves."""
        problem = self._whole
        self._refresh_gains()
        found = self.blocks.run(
            backup, 0, problem, in_place, self._gains, self.values, self.q_values, self.choice
        )
        self._gains[: problem.size] = self._gains[problem.size :]
        self.count += 1
        proof, self.stuck, self.largest_distance_cost = certify_backups(problem, found, self.values)
        return proof

    def sweep_packed(
        self, packed: Packed, reward: Float32, values: Float32, middle: float, rounding: float
    ) -> Certificate:
        """Take over values [2N], after a sweep over the packed MDP, and say what that proves.

        R is [N, A] in packed rows, `middle` that of the range of the values, `rounding` u of such a
        sweep.
        """
        found = self.blocks.run(
            backup_packed, static_width(self.problem.k), self.problem.gamma, middle,
            self.problem.terminal, packed, reward, values, self.values, self.q_values, self.choice,
        )  # fmt: skip
        self._gains_are_old = True
        self.count += 1
        smallest, largest = zip(*found)
        return certify(self.problem.gamma, min(smallest), max(largest), rounding)

    def evaluate(self, *, ratio: float, floor: float, ended: BreakOff) -> bool:
        """Move the values towards those of the chosen policy; whether float32 could hold them.

        Until a sweep's change is this share of the first residual, or below the floor.
        """
        self._refresh_gains()
        problem, system = self.problem, self._system
        found = self.blocks.run_parts(
            write_system, self._whole, self._gains, self.values, self.choice, system
        )
        self.evaluator.solve(system, max(ratio * float(max(found)), floor), ended)
        correction = system.solution[problem.size :]
        self._gains_are_old = True
        np.add(self.values, correction, out=self.values, where=~problem.terminal)
        system.solution[:] = 0.0
        return bool(np.isfinite(self.values).all())

    def _refresh_gains(self) -> None:
        """Reckon gains of both halves from the values, if these have changed otherwise."""
        if self._gains_are_old:
            gains = self.problem.rewards + self.problem.gamma * self.values
            self._gains.reshape(2, -1)[:] = gains
            self._gains_are_old = False
