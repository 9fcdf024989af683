"""The error that a tolerance allows, known once one sweep from V = 0 told the scale |T 0|."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...arrays import Float64
from ...errors import InputError
from ...kernels.bellman.problem import Problem
from ...kernels.precision import FLOAT32_EPSILON
from ..certificate import LARGEST, Certificate, largest_step, rounding_of_backup
from .float64_sweeps import Float64Sweeps


class Target:
    """What is asked of a solve.

    Attributes:
        tolerance: largest error, relative to |T 0| / (1 - gamma).
        allowed: largest error; inf before the scale is known.
        reach: a bound on |V*|; inf before the scale is known.
    """

    def __init__(self, problem: Problem, tolerance: float) -> None:
        self._problem, self.tolerance = problem, tolerance
        self.allowed = self.reach = math.inf

    @property
    def known(self) -> bool:
        """Whether the scale is known."""
        return math.isfinite(self.reach)

    @property
    def change_allowed(self) -> float:
        """The largest change of a sweep that proves the allowed error: gamma change / (1 - gamma).

        Below gamma = 0.1 it is not let grow further: one more sweep is as good as exact there.
        """
        gamma = self._problem.gamma
        return self.allowed * (1.0 - gamma) / max(gamma, 0.1)

    def set_scale(self, largest: float, stuck: int, distance_cost: float) -> None:
        """Turn the tolerance into an error, or say why it cannot be had; `largest` is |T 0|."""
        gamma = self._problem.gamma
        scale, parts = largest / (1.0 - gamma), largest_step(self._problem, distance_cost)
        # Actions may be missing because float64 took their losses for infinite.
        if not scale < LARGEST or (stuck and not parts < LARGEST):
            raise InputError(
                "rewards and costs",
                f"so small that no value can exceed {LARGEST:g}",
                f"up to {max(largest, parts):.3g} a step",
                "Give them in larger units.",
            )
        if stuck:
            raise InputError(
                "forbidden_actions or action_mask",
                "such that every state keeps an action that the data has",
                f"{stuck} states without any",
            )
        self.allowed = self.tolerance * scale
        # `largest` may have been rounded to float32.
        rounding = FLOAT32_EPSILON * (2 * self._problem.k + 16)
        self.reach = (largest + rounding * parts) / (1.0 - gamma)
        # Bounds end at u / (1 - gamma), those of long horizons at three times that.
        finest = 4.0 * rounding_of_backup(self._problem, scale, distance_cost) / (1.0 - gamma)
        if 0.0 < self.allowed < finest:
            raise InputError(
                "tolerance",
                f"at least {finest / scale:.1e} for this MDP and gamma",
                self.tolerance,
                "Float64 cannot certify less.",
            )

    def first_sweep(self, sweeps: Float64Sweeps) -> Certificate:
        """Sweep from V = 0, which tells the scale of the problem."""
        sweeps.restart(np.zeros(self._problem.size))
        proof = sweeps.sweep(in_place=False)
        self.set_scale_by(proof, sweeps.stuck, sweeps.largest_distance_cost)
        return proof

    def set_scale_by(self, proof: Certificate, stuck: int, distance_cost: float) -> None:
        """Set the scale by a sweep from V = 0; where it changes nothing, its bounds will do."""
        self.set_scale(proof.residual, stuck, distance_cost)
        if proof.residual == 0.0:
            self.allowed = proof.error

    def within_reach(self, proof: Certificate, values: Float64) -> Certificate:
        """Return bounds no wider than |V*| <= |T 0| / (1 - gamma), which holds before any sweep.

        Not so for the greedy policy, whose steps may be worse than the best: its bound stays.
        """
        below, above = self.reach + float(values.max()), self.reach - float(values.min())
        return replace(
            proof,
            below=min(proof.below, max(0.0, below)),
            above=min(proof.above, max(0.0, above)),
        )
