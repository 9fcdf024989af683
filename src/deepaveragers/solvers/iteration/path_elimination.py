"""The part of a policy's system that path elimination leaves; see the kernels of that name."""

from __future__ import annotations

import numpy as np

from ...arrays import Int64
from ...kernels.bellman.path_elimination import Paths, find_paths, reduced_system
from ...kernels.bellman.policy_system import PolicySystem
from ...kernels.bellman.static_width import static_width
from ...kernels.bellman.sweep_state import set_both_halves
from ..blocks import Blocks


class PathElimination:
    """Reduces systems of one size, and expands their solutions."""

    def __init__(self, size: int, width: int, blocks: Blocks) -> None:
        self._blocks, self._static, self._tuning = blocks, static_width(width), blocks.tuning
        offset, factor = np.empty(size, np.float32), np.empty(size, np.float32)
        self._paths = Paths(offset, factor, np.empty(size, np.int32))
        self._kept: Int64 = np.empty(0, np.int64)

    @property
    def edges(self) -> Int64:
        """[blocks + 1] int64, the blocks of kept states."""
        return np.searchsorted(self._kept, self._blocks.edges)

    def reduced(self, system: PolicySystem) -> PolicySystem | None:
        """Return the system of the kept states; None if there are too many or none."""
        paths, size = self._paths, len(system.constant)
        self._blocks.run(find_paths, self._static, self._tuning.main_share, system, paths)
        kept = np.flatnonzero((paths.head == np.arange(size)) & (paths.factor > 0.0))
        if not 0 < len(kept) <= self._tuning.kept_share * size:
            return None
        self._kept = kept
        return reduced_system(kept, system, paths)

    def expand(self, reduced: PolicySystem, system: PolicySystem) -> None:
        """Add what the solution of all states lacks, given what that of the kept ones does."""
        offset, factor, head = self._paths
        lacking = np.zeros_like(offset)
        lacking[self._kept] = reduced.solution[: len(self._kept)]
        found = system.solution[len(offset) :] + (offset + factor * lacking[head])
        set_both_halves(system.solution, system.place, found)
