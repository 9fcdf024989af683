"""The arrays of one solve, and the two steps that planning is made of."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Int32
from ..kernels import cpu
from ..kernels.model import Model
from .blocks import Blocks
from .certificate import Certificate, certify
from .correction import Corrector


class Workspace:
    """Values on their way to the optimum.

    Attributes:
        values: [N] float64.
        q_values: [N, A] float64, of the last sweep.
        choice: [N] int32, the best action at the last sweep.
        stuck: states that have no action and did not end an episode.
        sweeps: sweeps over all states and actions so far.
        policy_sweeps: sweeps over a policy's rows so far.
    """

    def __init__(self, model: Model, blocks: Blocks) -> None:
        size, actions = model.indices.shape[:2]
        self.model, self.blocks = model, blocks
        self.values: Float64 = np.zeros(size)
        self.q_values: Float64 = np.empty((size, actions))
        self.choice: Int32 = np.empty(size, np.int32)
        self.stuck = 0
        self.sweeps = 0
        self.policy_sweeps = 0
        self.largest_penalty = 0.0
        self.corrector = Corrector(model, blocks)
        self._gains: Float64 = np.empty(2 * size)
        self._refresh()

    def restart(self, values: Float64) -> None:
        """Go on from other values; those of states that ended stay 0."""
        self.values[:] = np.where(self.model.terminal, 0.0, values)
        self._refresh()

    def prefer(self, q_values: Float64) -> None:
        """Choose by other action values [N, A], among the actions that are available."""
        self.blocks.run(cpu.adopt, self.q_values, q_values, self.choice)

    def recover(self) -> None:
        """Make the arrays agree again after an interruption."""
        self.corrector.rows.correction[:] = 0.0
        self._refresh()

    def sweep(self, *, in_place: bool = True) -> Certificate:
        """Apply the Bellman operator once, and say what that proves."""
        found = self.blocks.run(
            cpu.improve, self.model, in_place,
            self._gains, self.values, self.q_values, self.choice,
        )  # fmt: skip
        self.blocks.run(cpu.publish, self._gains)
        self.sweeps += 1
        smallest, largest, penalty, stuck = zip(*found)
        self.stuck = sum(stuck)
        self.largest_penalty = max(penalty)
        alive = min(smallest) <= max(largest)
        size = max(float(self.values.max()), -float(self.values.min()))
        return certify(
            self.model,
            min(smallest) if alive else 0.0,
            max(largest) if alive else 0.0,
            size,
            self.largest_penalty,
        )

    def evaluate(self, *, ratio: float, floor: float, deadline: float) -> None:
        """Move the values towards those of the chosen policy.

        Args:
            ratio: stop when a sweep's change is so much smaller than the first residual.
            floor: or when it is below this.
            deadline: or at this moment of `time.perf_counter`.
        """
        residual = self.corrector.linearize(self._gains, self.values, self.choice)
        self.policy_sweeps += self.corrector.solve(max(ratio * residual, floor), deadline)
        self._refresh()

    def _refresh(self) -> None:
        self.blocks.run(
            cpu.advance, self.model, self.corrector.rows.correction, self.values, self._gains
        )
