"""Horizons: backward induction, and horizons that are as good as endless."""

from __future__ import annotations

import math
from dataclasses import replace

from ..certificate import Certificate
from ..plan import Status
from .float64_sweeps import Float64Sweeps
from .limits import Watch
from .loop import Guess, Outcome, PolicyIteration
from .target import Target

LONG = 10_000
"""Steps of a horizon after which a plan may end early, where the rest adds next to nothing."""
NEGLIGIBLE = 1e-3
"""Share of the tolerance that steps beyond a long horizon may take up."""
SLACK = 1.0 + 1e-12
"""For the rounding of the bounds themselves."""


def beyond_horizon(gamma: float, horizon: int, tolerance: float) -> float | None:
    """Return gamma^horizon if that many steps are as good as endless ones; None otherwise."""
    beyond = math.pow(gamma, horizon)
    return beyond if horizon > LONG and beyond <= NEGLIGIBLE * tolerance else None


def backward_induction(
    sweeps: Float64Sweeps, target: Target, watch: Watch, horizon: int
) -> Outcome:
    """Return the status and the bounds of a plan for a number of steps.

    V_h = T V_{h-1} from V_0 = 0. Stopped after h of H steps, what is missing is at most
    (gamma^h + ... + gamma^(H-1)) |T 0|, and at most (1 + ... + gamma^(H-h-1)) |T V_h - V_h|, of
    which |T V_h - V_h| <= gamma |V_h - V_{h-1}|.
    """
    gamma = sweeps.problem.gamma
    gained, rounding, done = 0.0, 0.0, 0
    status: Status = "optimal"
    try:
        while done < horizon:
            proof = sweeps.sweep(in_place=False) if done else target.first_sweep(sweeps)
            gained = gained if done else proof.residual + proof.rounding
            rounding = proof.rounding + gamma * rounding
            done += 1
            watch.reach(done / horizon)
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
        rounding = proof.rounding + gamma * rounding
    next_change = gamma * proof.residual + proof.rounding
    missing = min(
        gained * sum_of_powers(gamma, done, horizon),
        next_change * sum_of_powers(gamma, 0, horizon - done),
    )
    bound = (missing + rounding) * SLACK
    return status, Certificate(bound, bound, proof.residual, proof.rounding)


def without_horizon(
    loop: PolicyIteration, guess: Guess | None, evaluate: bool, beyond: float
) -> Outcome:
    """Return the plan without a horizon for one so long that it makes no difference.

    After H steps |V_H - V*| <= gamma^H |T 0| / (1 - gamma), which is added to the bounds.

    Args:
        loop: of the solve.
        guess: as of `PolicyIteration.optimize`.
        evaluate: as there.
        beyond: gamma^H.
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
