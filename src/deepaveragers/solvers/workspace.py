"""The arrays of one solve, and the steps that planning is made of."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Float32, Float64, Int32, frozen
from ..kernels import cpu, table
from ..kernels.model import Model
from .blocks import Blocks
from .certificate import Certificate, certify, rounding_of_backup
from .correction import Corrector
from .layout import Layout


class Workspace:
    """Values on their way to the optimum, in the order of visiting.

    Attributes:
        posed: the MDP with its states' own names.
        layout: the order of visiting; None if it is theirs.
        order: [N] int32, that of the layout; empty without one.
        model: the MDP in the order of visiting; with a layout, its graph has no rows.
        values: [N] float64.
        q_values: [N, A] float64, of the last sweep.
        named: whether the rows of `q_values` stand under the states' own names already.
        choice: [N] int32, the best action at the last sweep.
        stuck: states that have no action and did not end an episode.
        sweeps: sweeps over all states and actions so far.
        policy_sweeps: sweeps over a policy's rows so far.
    """

    def __init__(self, model: Model, blocks: Blocks, layout: Layout | None = None) -> None:
        size, actions = model.indices.shape[:2]
        self.posed, self.blocks, self.layout = model, blocks, layout
        self.order: Int32 = frozen(np.empty(0, np.int32)) if layout is None else layout.order
        self.model = model if layout is None else layout.without_graph(model)
        self.values: Float64 = np.zeros(size)
        self.q_values: Float64 = np.empty((size, actions))
        self.named = layout is None
        self.choice: Int32 = np.empty(size, np.int32)
        self.stuck = 0
        self.sweeps = 0
        self.policy_sweeps = 0
        self.largest_penalty = 0.0
        self.corrector = Corrector(self.model, blocks)
        self._gains: Float64 = np.empty(2 * size)
        self._stale = True

    @cached_property
    def whole(self) -> Model:
        """The model with its graph in the order of visiting."""
        if self.layout is None:
            return self.posed
        indices, distances = self.layout.renamed(self.posed, self.blocks)
        return self.model._replace(indices=indices, distances=distances)

    def restart(self, values: Float64) -> None:
        """Go on from other values; 0 where states ended, and where float32 overflowed."""
        self.values[:] = np.where(self.model.terminal | ~np.isfinite(values), 0.0, values)
        self._stale = True

    def prefer(self, q_values: Float64) -> None:
        """Choose by other action values [N, A], among the actions that are available."""
        self.blocks.run(cpu.adopt, self.q_values, q_values, self.choice)

    def recover(self) -> None:
        """Make the arrays agree again after an interruption."""
        self.corrector.rows.correction[:] = 0.0
        self.restart(self.values)  # an evaluation may just have overflowed
        self._refresh()

    def sweep(self, *, in_place: bool = True) -> Certificate:
        """Apply the Bellman operator once, and say what that proves."""
        model = self.whole
        if self._stale:
            self._refresh()
        found = self.blocks.run(
            cpu.improve, model, in_place,
            self._gains, self.values, self.q_values, self.choice,
        )  # fmt: skip
        self.blocks.run(cpu.publish, self._gains)
        self.named = self.layout is None
        self.sweeps += 1
        smallest, largest, penalty, stuck = zip(*found)
        self.stuck = sum(stuck)
        self.largest_penalty = max(penalty)
        down, up = max(0.0, -min(smallest)), max(0.0, max(largest))
        before = max(float(self.values.max()), -float(self.values.min())) + max(down, up)
        rounding = rounding_of_backup(model, before, self.largest_penalty)
        return certify(model.gamma, down, up, rounding)

    def sweep_table(
        self, index: Int32, weight: Float32, reward: Float32, middle: float
    ) -> tuple[float, float]:
        """Apply the Bellman operator by a table to the corrector's float32 values.

        Args:
            index: [N, A, k] of the table.
            weight: [N, A, k] of the table.
            reward: [N, A] R.
            middle: of the range of the values.

        Returns:
            how much that lowered and raised a value at most.
        """
        both = self.corrector.rows.correction
        found = self.blocks.run(
            table.back_up, cpu.lanes_of(self.model.k), self.model.gamma, middle,
            self.model.terminal, self.order, index, weight, reward, both,
            self.values, self.q_values, self.choice,
        )  # fmt: skip
        both[:] = 0.0
        self.named, self._stale = True, True
        self.sweeps += 1
        smallest, largest = zip(*found)
        return max(0.0, -min(smallest)), max(0.0, max(largest))

    def evaluate(self, *, ratio: float, floor: float, deadline: float) -> bool:
        """Move the values towards those of the chosen policy.

        Args:
            ratio: stop when a sweep's change is so much smaller than the first residual.
            floor: or when it is below this.
            deadline: or at this moment of `time.perf_counter`.

        Returns:
            whether float32 could hold them.
        """
        if self._stale:
            self._refresh()
        residual = self.corrector.linearize(self.whole, self._gains, self.values, self.choice)
        self.policy_sweeps += self.corrector.solve(max(ratio * residual, floor), deadline)
        self._refresh()
        return bool(np.isfinite(self.values).all())

    def values_by_name(self) -> Float64:
        """Return the values [N] of the states under their own names."""
        return self._by_name(self.values)

    def q_values_by_name(self) -> Float64:
        """Return the action values [N, A] of the states under their own names."""
        return self.q_values if self.named else self._by_name(self.q_values)

    def _by_name(self, array: Float64) -> Float64:
        return array if self.layout is None else self.layout.restored(array, self.blocks)

    def _refresh(self) -> None:
        """Add what was corrected to the values, and reckon gains of both halves from them."""
        self.blocks.run(
            cpu.advance, self.model, self.corrector.rows.correction, self.values, self._gains
        )
        self._stale = False
