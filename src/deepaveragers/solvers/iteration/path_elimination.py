"""The part of a policy's system that path elimination leaves; see the kernels of that name."""

from __future__ import annotations

import numpy as np

from ...arrays import Int64
from ...kernels.bellman import path_elimination as kernels
from ...kernels.bellman.policy_system import PolicySystem, empty_system
from ...kernels.bellman.static_width import static_width
from ..blocks import Blocks
from .tuning import Tuning


class PathElimination:
    """Owns the arrays of the reduced system."""

    def __init__(self, size: int, width: int, blocks: Blocks, tuning: Tuning) -> None:
        self._blocks, self._static, self._tuning = blocks, static_width(width), tuning
        self._size, self._width = size, width
        self._found: kernels.Elimination | None = None
        self._system: PolicySystem | None = None

    @property
    def edges(self) -> Int64:
        """[blocks + 1] int64, the blocks of kept states."""
        return np.concatenate([[0], np.cumsum(self._elimination.counts)])

    @property
    def _elimination(self) -> kernels.Elimination:
        if self._found is None:
            terms = np.empty((self._size, kernels.COLUMNS), np.float32)
            self._found = kernels.Elimination(
                main_share=self._tuning.main_share,
                terms=terms,
                bits=terms.view(np.int32),
                kept=np.empty(self._size, np.int32),
                counts=np.zeros(len(self._blocks.bounds), np.int64),
            )
        return self._found

    def reduced(self, system: PolicySystem) -> PolicySystem | None:
        """Return the system of the kept states; None if there are too many or none."""
        found = self._elimination
        found.counts[:] = self._blocks.run(kernels.find_paths, self._static, system, found)
        count = int(found.counts.sum())
        if not 0 < count <= self._tuning.kept_share * self._size:
            return None
        if self._system is None or len(self._system.constant) < count:
            self._system = empty_system(count, self._width)
        whole = self._system
        reduced = PolicySystem(
            successors=whole.successors[:count],
            weight=whole.weight[:count],
            constant=whole.constant[:count],
            solution=whole.solution[: 2 * count],
        )
        state = self._blocks.sweep_state()
        self._blocks.run_together(
            kernels.reduce_system, state, self._static, system, found, reduced
        )
        return reduced

    def expand(self, reduced: PolicySystem, system: PolicySystem) -> None:
        """Write the solution of all states, given that of the kept ones."""
        self._blocks.run(
            kernels.expand_solution, self._elimination, reduced.solution, system.solution
        )
