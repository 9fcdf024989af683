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
"""

from __future__ import annotations

import time

import numpy as np

from ..arrays import Float32, Float64, Int32
from ..kernels import cpu, mixing
from ..kernels.model import Model
from ..kernels.single import solve_paths
from .blocks import Blocks

MEMORY, MEMORY_OF_LARGE, LARGE = 8, 5, 200_000
"""Sweeps mixed; fewer from so many states on, where reading them costs as much as a sweep."""
SWEEPS_PER_MIXTURE = 2
PATIENCE = 50
"""Mixtures without progress after which the rest is left to the next linearisation."""
RESTART = 3.0
FLOAT32_NOISE = 4e-7


class Corrector:
    """Owns the float32 working arrays of one solve."""

    def __init__(self, model: Model, blocks: Blocks) -> None:
        size = model.size
        self.model, self.blocks, self.lanes = model, blocks, cpu.lanes_of(model.width)
        self.index: Int32 = np.empty((size, model.width), np.int32)
        self.weight: Float32 = np.empty((size, model.width), np.float32)
        self.residual: Float32 = np.empty(size, np.float32)
        self.correction: Float32 = np.zeros(2 * size, np.float32)
        self.origin: Float32 = np.zeros(size, np.float32)
        self.memory = MEMORY if size < LARGE else MEMORY_OF_LARGE
        self.kept: Float32 = np.empty((self.memory, size), np.float32)
        self.moved: Float32 = np.empty((self.memory, size), np.float32)

    def linearize(self, gains: Float64, values: Float64, choice: Int32) -> float:
        """Take the policy's rows; return its largest residual at the values."""
        found = self.blocks.run(
            cpu.linearize, self.model, gains, values, choice,
            self.index, self.weight, self.residual,
        )  # fmt: skip
        return float(max(found))

    def solve(self, target: float, deadline: float) -> int:
        """Improve `correction` until a sweep changes it by at most the target.

        Returns:
            the number of sweeps over the policy's rows.
        """
        correction, size = self.correction, self.model.size
        if self.index.shape[1] == 1:
            solve_paths(self.index, self.weight, self.residual, correction)
            return 1
        stored, sweeps, last, best, waited = 0, 0, np.inf, np.inf, 0
        self.origin[:] = correction[size:]
        while True:
            for _ in range(SWEEPS_PER_MIXTURE):
                change = self.blocks.sweep(
                    cpu.relax, correction, self.lanes,
                    self.index, self.weight, self.residual, correction,
                )  # fmt: skip
            sweeps += SWEEPS_PER_MIXTURE
            waited = 0 if change < 0.9 * best else waited + 1
            best = min(best, change)
            new = correction[size:]
            noise = FLOAT32_NOISE * max(float(new.max()), -float(new.min()))
            done = change <= max(target, noise) or waited >= PATIENCE
            if done or time.perf_counter() > deadline:
                return sweeps
            if change > RESTART * last:
                stored = 0
            last = change
            self._accelerate(stored)
            stored += 1

    def _accelerate(self, stored: int) -> None:
        """Replace the correction by the best mixture of the sweeps kept so far."""
        slot = stored % self.memory
        self.blocks.run(
            mixing.remember, self.correction, self.origin, self.kept[slot], self.moved[slot]
        )
        count = min(stored + 1, self.memory)
        shares = np.zeros(count)
        shares[slot] = 1.0
        upper = sum(self.blocks.run(mixing.products, self.moved[:count], slot))
        gram = upper + np.triu(upper, 1).T
        trace = float(np.trace(gram))
        if count > 1 and np.isfinite(trace) and trace > 0.0:
            gram += 1e-10 * trace * np.eye(count)
            mixture = np.linalg.solve(gram, np.ones(count))
            if np.isfinite(mixture).all() and abs(mixture.sum()) > 0.0:
                shares = mixture / mixture.sum()
        self.blocks.run(
            mixing.combine,
            shares.astype(np.float32),
            self.kept[:count],
            self.correction,
            self.origin,
        )
