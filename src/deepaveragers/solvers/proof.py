"""What one sweep over the table proves of a draft.

The table holds the MDP in float32, and `certificate` says by how much a backup can be wrong for
that: in ordinary plans far less than what was asked for. So those need no float64 sweep over
the graph, nor its copy in the order of visiting.
"""

from __future__ import annotations

import math

from ..kernels.table import settle
from .certificate import LARGEST, Certificate, certify, largest_step, rounding_of_table
from .draft import Draft
from .workspace import Workspace


class Proof:
    """Bounds on the values of a draft, from its table.

    Attributes:
        rounding: bound on how far a backup by the table is from the exact one.
    """

    def __init__(self, draft: Draft, work: Workspace) -> None:
        self._draft, self._work = draft, work
        model, penalty = work.model, draft.largest_penalty
        found = work.blocks.run(settle, model.terminal, draft.values)
        lows, highs = zip(*found)
        low, high = min(lows), max(highs)
        self._middle = 0.5 * (low + high)
        sound = largest_step(model, penalty) < LARGEST
        rounding = rounding_of_table(model, low, high, penalty, draft.dearest)
        self.rounding = rounding if sound else math.inf

    def sweep(self) -> Certificate:
        """Leave the values in the workspace, one sweep further, and say what that proves."""
        table, reward = self._draft.table, self._draft.reward
        down, up = self._work.sweep_table(table.index, table.weight, reward, self._middle)
        return certify(self._work.model.gamma, down, up, self.rounding)
