"""Horizons: backward induction, and horizons that are as good as endless.

After the first step, which tells the scale, a large MDP is packed, and the next steps sweep over
that: in float64 too, from values that are rounded to float32. The rounding is counted in the
bounds; where it might be too much, steps sweep over the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ...arrays import Float32
from ...kernels.bellman import packed as kernels
from ...kernels.bellman.sweep_state import set_both_halves
from ...kernels.precision import FLOAT32_UNIT, SMALLEST_FLOAT32
from ..certificate import LARGEST, Certificate, largest_step, rounding_of_packed
from ..packing import packed_mdp
from ..plan import Status
from .float64_sweeps import Float64Sweeps
from .loop import Ended, Guess, PolicyIteration

LONG = 10_000
"""Steps of a horizon after which a plan may end early, where the rest adds next to nothing."""
NEGLIGIBLE = 1e-3
"""Share of the tolerance that steps beyond a long horizon may take up."""
SLACK = 1.0 + 1e-12
"""For the rounding of the bounds themselves."""
FEW = 4
"""Steps up to which packing an MDP takes longer than it saves."""
Step = Callable[[], Certificate]
"""Applies the Bellman operator once, and says what that proves."""


def beyond_horizon(gamma: float, horizon: int, tolerance: float) -> float | None:
    """Return gamma^horizon if that many steps are as good as endless ones; None otherwise."""
    beyond = math.pow(gamma, horizon)
    return beyond if horizon > LONG and beyond <= NEGLIGIBLE * tolerance else None


def backward_induction(loop: PolicyIteration, horizon: int) -> Ended:
    """Return the status and the bounds of a plan for a number of steps.

    V_h = T V_{h-1} from V_0 = 0. Stopped after h of H steps, what is missing is at most
    (gamma^h + ... + gamma^(H-1)) |T 0|, and at most (1 + ... + gamma^(H-h-1)) |T V_h - V_h|, of
    which |T V_h - V_h| <= gamma |V_h - V_{h-1}|.
    """
    sweeps, target, watch = loop.sweeps, loop.target, loop.watch
    gamma = sweeps.problem.gamma
    gained, rounding, done, next_rounding = 0.0, 0.0, 0, 0.0
    status: Status = "optimal"
    step: Step = partial(target.first_sweep, sweeps)
    try:
        while done < horizon:
            proof = step()
            if done == 0:
                gained = proof.residual + proof.rounding
                step, next_rounding = step_after_first(loop, gained, horizon)
            rounding = proof.rounding + gamma * rounding
            done += 1
            watch.show(done / horizon)
            if done >= LONG and proof.residual <= proof.rounding:
                break
            if done == horizon:
                break
            if stop := watch.look(sweeps.count, proof.error, target.allowed):
                status = stop
                break
    except KeyboardInterrupt:
        # Some states may be a step further than the others, which the bound allows for.
        status = "interrupted"
        if done == 0:
            proof = target.first_sweep(sweeps)
            gained, done = proof.residual + proof.rounding, 1
        rounding = max(proof.rounding, next_rounding) + gamma * rounding
    next_change = gamma * proof.residual + proof.rounding
    missing = min(
        gained * sum_of_powers(gamma, done, horizon),
        next_change * sum_of_powers(gamma, 0, horizon - done),
    )
    bound = (missing + rounding) * SLACK
    return status, Certificate(bound, bound, proof.residual, proof.rounding)


def step_after_first(loop: PolicyIteration, gained: float, horizon: int) -> tuple[Step, float]:
    """Return what makes one more step: over the packed MDP where that is quick and exact enough.

    And how far a step that is interrupted can be off by its rounding, beyond its proof. `gained` is
    |T 0|, so values are at most (1 + gamma + ...) |T 0|.
    """
    sweeps, problem = loop.sweeps, loop.sweeps.problem
    steps = sum_of_powers(problem.gamma, 0, horizon)
    quick = problem.size >= loop.tuning.packed_states and FEW < horizon <= LONG
    reach = gained * steps
    rounding = rounding_of_step(sweeps, -reach, reach)
    in_range = largest_step(problem, sweeps.largest_distance_cost) < LARGEST
    if problem.is_plain and quick and in_range and steps * rounding <= loop.target.allowed:
        return PackedSteps(sweeps).sweep, rounding
    return partial(sweeps.sweep, in_place=False), 0.0


def rounding_of_step(sweeps: Float64Sweeps, smallest: float, largest: float) -> float:
    """Return how far a step over the packed MDP can be off, from values in this range."""
    problem = sweeps.problem
    stored = FLOAT32_UNIT * max(abs(smallest), abs(largest)) * (1.0 + 1e-6) + SMALLEST_FLOAT32
    backup = rounding_of_packed(problem, smallest, largest, sweeps.largest_distance_cost)
    return backup + problem.gamma * stored


class PackedSteps:
    """Steps over the packed MDP, each from the values of the one before, rounded to float32."""

    def __init__(self, sweeps: Float64Sweeps) -> None:
        problem, posed, order = sweeps.problem, sweeps.posed, sweeps.order
        self._sweeps, self._packed = sweeps, packed_mdp(problem, posed, order, sweeps.blocks).packed
        self._reward: Float32 = np.empty_like(self._packed.mean_distance)
        self._values: Float32 = np.empty(2 * problem.size, np.float32)
        sweeps.blocks.run(
            kernels.reward_of_actions, problem, posed, order.order, self._packed, self._reward,
            self._values,
        )  # fmt: skip

    def sweep(self) -> Certificate:
        """Make one step, and say what that proves."""
        set_both_halves(self._values, self._packed.place, self._sweeps.values)
        low, high = float(self._values.min()), float(self._values.max())
        return self._sweeps.sweep_packed(
            self._packed, self._reward, self._values, 0.5 * (low + high),
            rounding_of_step(self._sweeps, low, high),
        )  # fmt: skip


def without_horizon(
    loop: PolicyIteration, guess: Guess | None, evaluate: bool, beyond: float
) -> Ended:
    """Return the plan without a horizon for one so long that it makes no difference.

    After H steps |V_H - V*| <= gamma^H |T 0| / (1 - gamma), which is added to the bounds; `beyond`
    is gamma^H. Other arguments as of `PolicyIteration.optimize`.
    """
    loop.target.tolerance *= 1.0 - 2.0 * NEGLIGIBLE
    status, proof = loop.optimize(guess, evaluate, None)
    missing = beyond * loop.target.reach * SLACK
    below, above = proof.below + missing, proof.above + missing
    return status, replace(proof, below=below, above=above, policy_below=None)


def sum_of_powers(gamma: float, first: int, end: int) -> float:
    """Return gamma^first + ... + gamma^(end - 1), without cancellation where gamma is near 1.

    The sum is gamma^first (1 - gamma^n) / (1 - gamma) with n = end - first. 1 - gamma is exact
    from 1/2 on, but 1 - gamma^n is not: -expm1(n log gamma) keeps its digits.
    """
    if end <= first:
        return 0.0
    if gamma == 0.0:
        return 1.0 if first == 0 else 0.0
    left = -math.expm1((end - first) * math.log(gamma))
    return math.pow(gamma, first) * left / (1.0 - gamma)
