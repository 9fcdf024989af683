"""A first guess at the optimal values: modified policy iteration in float32.

Values take half the memory of float64, and weights and mean rewards are ready in the packed MDP: a
sweep takes half as long. Nothing of the guess is trusted. One sweep over the packed MDP in float64
proves bounds on it (`certificate`), in ordinary plans all that was asked for. Float64 sweeps do the
rest.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Float32, Float64, Int32
from ...kernels.bellman import linearized_improvement as linearized
from ...kernels.bellman import packed as packed_kernels
from ...kernels.bellman import packed_improvement as kernels
from ...kernels.bellman.backup import NO_ACTION
from ...kernels.bellman.policy_system import empty_system
from ...kernels.bellman.static_width import static_width
from ...kernels.bellman.sweep_state import set_both_halves
from ..certificate import LARGEST, Certificate, largest_price, largest_step, rounding_of_packed
from ..packing import packed_mdp
from .evaluation import PolicyEvaluator
from .float64_sweeps import Float64Sweeps
from .limits import BreakOff, Watch
from .target import Target

Start = tuple[Float64, Float64]
"""Values [N] and action values [N, A] of an earlier plan, by position."""


class Float32Guess:
    """The packed MDP, rewards of one objective in packed rows, and values on their way."""

    def __init__(self, sweeps: Float64Sweeps) -> None:
        problem, blocks = sweeps.problem, sweeps.blocks
        kept = packed_mdp(problem, sweeps.posed, sweeps.order, blocks)
        self._sweeps, self._problem, self._blocks = sweeps, problem, blocks
        self._packed, self._tuning = kept.packed, blocks.tuning
        self._gamma, self._static = np.float32(problem.gamma), static_width(problem.k)
        self._reward: Float32 = np.empty_like(kept.packed.mean_distance)
        self._neighbor_reward: Float32 = np.empty((0, 0, 0), np.float32)
        self._choice: Int32 = np.full(problem.size, NO_ACTION, np.int32)
        slipped = problem.indices.shape[1] if problem.slip > 0.0 else 0
        self._system = empty_system(problem.size, problem.k + slipped, kept.packed.place)
        self._evaluator = sweeps.evaluator
        if not problem.is_plain:
            self._linearize()
        found = self._blocks.run(
            packed_kernels.reward_of_actions, problem, sweeps.posed, sweeps.order.order,
            self._packed, self._reward, self._values,
        )  # fmt: skip
        scales, stuck = zip(*found)
        self._scale, self._stuck = max(scales), sum(stuck)
        self._distance_cost = largest_price(problem) * kept.farthest
        if self._distance_cost > float(np.finfo(np.float32).max):
            self._scale = math.inf  # float32 took such actions for unavailable ones

    def _linearize(self) -> None:
        """Prepare for slip and worst cases: wider rows, outcomes of each neighbour."""
        problem, sweeps = self._problem, self._sweeps
        width = self._system.successors.shape[1]
        self._evaluator = PolicyEvaluator(problem, width, self._blocks)
        if problem.worst_case > 0.0:
            self._neighbor_reward = np.empty_like(self._packed.weight)
            self._blocks.run(
                linearized.reward_of_neighbors, problem, sweeps.posed, sweeps.order.order,
                self._neighbor_reward,
            )  # fmt: skip

    @property
    def _values(self) -> Float32:
        """[2N] float32, V on its way."""
        return self._system.solution

    def run(self, target: Target, start: Start | None, watch: Watch) -> Certificate:
        """Guess, set the target, leave the values in the float64 sweeps, and say what is proved.

        The policy of an earlier plan is evaluated first; else V begins as the best reward of one
        step and a constant. The watch is told after every sweep.
        """
        if self._nothing_to_guess():
            return target.first_sweep(self._sweeps)
        if self._problem.is_plain:
            target.set_scale(self._scale, self._stuck, self._distance_cost)
        else:
            target.first_sweep(self._sweeps)  # |T 0| is not just the largest |max_a R| here.
        proof: Certificate | None = None
        try:
            if start is None:
                self._add_what_follows()
            stopped = self._iterate(target, start, watch)
            proof = self._prove(target.allowed, stopped)
        finally:
            if proof is None:
                self._sweeps.restart(self._values[self._problem.size :].astype(np.float64))
        return self._sweeps.sweep() if proof is None else proof

    def _nothing_to_guess(self) -> bool:
        """Whether no step is worth anything, or losses are infinite in float32."""
        if self._stuck:
            # Such losses look like actions that are not there.
            return not largest_step(self._problem, self._distance_cost) < LARGEST
        return self._scale == 0.0

    def _iterate(self, target: Target, start: Start | None, watch: Watch) -> bool:
        """Improve and evaluate in turns, until the estimated error is allowed, or float32 ends.

        Returns whether the watch stopped it.
        """
        gamma, plain, tuning = self._problem.gamma, self._problem.is_plain, self._tuning
        enough = tuning.guess_enough * target.change_allowed
        floor = tuning.evaluation_floor * target.change_allowed
        if start is not None:
            watch.expect(self._sweeps.count, target.allowed)
            self._evaluate_start(start, floor, watch.ended)
        best, waited = math.inf, 0
        patience = tuning.guess_patience if plain else tuning.linearized_patience
        for made in range(1, tuning.guess_sweeps + 1):
            change, largest = self._improve()
            noise = tuning.float32_noise * largest
            # Rows that only agree with a backup may lead round in circles.
            distinct = plain and change > tuning.guess_distinct * noise
            waited = 0 if change < tuning.progress_ratio * best or distinct else waited + 1
            best = min(best, change)
            self._sweeps.count += 1
            error = change * gamma / (1.0 - gamma)
            if watch.look(self._sweeps.count, error, target.allowed) is not None:
                return True
            if waited >= patience or change <= max(enough, noise):
                break
            aim = max(tuning.guess_ratio * change, floor, noise)
            briefly = made == 1 and start is None
            self._evaluator.solve(self._system, aim, watch.ended, briefly=briefly)
        return False

    def _add_what_follows(self) -> None:
        """Add to V = max_a R what follows if V is the same in all states that go on.

        V = c there has the residuals R - c (1 - gamma P), with P the chance to go on. As many steps
        end (P = 0) as states did, the others go on. With the c of least squares, what follows a
        step is worth gamma (1 - ends) c.
        """
        gamma, terminal = self._problem.gamma, self._problem.terminal
        first, ends = self._values[self._problem.size :], float(terminal.mean())
        lost = ends + (1.0 - ends) * np.array([1.0 - gamma, (1.0 - gamma) ** 2])
        constant = first[~terminal].mean(dtype=np.float64) * lost[0] / lost[1]
        follows = gamma * (1.0 - ends) * constant
        set_both_halves(self._values, self._packed.place, np.where(terminal, 0.0, first + follows))

    def _evaluate_start(self, start: Start, floor: float, ended: BreakOff) -> None:
        """Evaluate the policy of an earlier plan, from its values."""
        first = np.where(self._problem.terminal, 0.0, start[0])
        set_both_halves(self._values, self._packed.place, first)
        if not self._problem.is_plain:
            return  # The first improvement writes rows that agree with these values.
        available = self._reward[::-1] > -np.inf
        preferred = np.maximum(start[1], np.finfo(np.float64).min)
        rows = np.arange(len(first))[::-1], np.where(available, preferred, -np.inf).argmax(axis=1)
        # The choice stays open: the first improvement writes all rows, solved for their own states.
        self._system.successors[:] = self._packed.successors[rows]
        self._system.weight[:] = self._gamma * self._packed.weight[rows]
        self._system.constant[:] = self._reward[rows]
        aim = max(self._tuning.first_ratio * self._scale, floor)
        self._evaluator.solve(self._system, aim, ended)

    def _improve(self) -> tuple[float, float]:
        """Sweep over all states and actions; return the largest change and the largest value."""
        state, problem = self._blocks.sweep_state(), self._problem
        about = self._static, self._gamma, self._packed, self._reward
        written = self._choice, self._system
        if problem.is_plain:
            self._blocks.run_together(kernels.improve_all, state, *about, *written)
        else:
            mixed = np.float32(problem.slip), np.float32(problem.worst_case), self._neighbor_reward
            self._blocks.run_together(linearized.improve_all, state, *about, *mixed, *written)
        return float(state.changes.max()), float(state.peaks.max())

    def _prove(self, allowed: float, stopped: bool) -> Certificate | None:
        """Prove bounds by a sweep over the packed MDP; None where its rounding is too much.

        A solve that was stopped early takes whatever bounds that sweep gives: sweeping over the
        graph might first have to put it into another order, for which there is no time.
        """
        problem = self._problem
        if not problem.is_plain:
            return None
        values = np.where(problem.terminal, np.float32(0.0), self._values[problem.size :])
        set_both_halves(self._values, self._packed.place, values)
        low, high = float(values.min()), float(values.max())
        if not largest_step(problem, self._distance_cost) < LARGEST:
            return None
        rounding = rounding_of_packed(problem, low, high, self._distance_cost)
        lost = rounding / (1.0 - problem.gamma)
        if not (lost < allowed or (stopped and math.isfinite(lost))):
            return None
        middle = 0.5 * (low + high)
        return self._sweeps.sweep_packed(self._packed, self._reward, self._values, middle, rounding)
