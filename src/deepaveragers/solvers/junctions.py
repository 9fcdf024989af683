"""The part of a policy's system that is left without its links; see `kernels.junctions`."""

from __future__ import annotations

import numpy as np

from ..arrays import Int64
from ..kernels import cpu
from ..kernels import junctions as kernels
from ..kernels.evaluation import Rows
from .blocks import Blocks

WORTHWHILE = 0.6
"""Share of junctions up to which it pays to leave the links out."""


class Junctions:
    """Owns the arrays of the smaller system."""

    def __init__(self, size: int, width: int, blocks: Blocks) -> None:
        self._blocks, self._lanes = blocks, cpu.lanes_of(width)
        terms = np.empty((size, kernels.COLUMNS), np.float32)
        self._links = kernels.Links(
            terms=terms,
            bits=terms.view(np.int32),
            junctions=np.empty(size, np.int32),
            counts=np.zeros(len(blocks.bounds), np.int64),
        )
        self._rows = Rows(
            successors=np.empty((size, width), np.int32),
            weight=np.empty((size, width), np.float32),
            residual=np.empty(size, np.float32),
            correction=np.empty(2 * size, np.float32),
        )

    @property
    def edges(self) -> Int64:
        """[blocks + 1] int64, the blocks of junctions."""
        return np.concatenate([[0], np.cumsum(self._links.counts)])

    def reduced(self, rows: Rows) -> Rows | None:
        """Return the system of the junctions; None if there are too many or none."""
        links, team = self._links, self._blocks.team()
        self._blocks.together(kernels.find_links, team, self._lanes, rows, links)
        count = int(links.counts.sum())
        if not 0 < count <= WORTHWHILE * len(rows.residual):
            return None
        reduced = Rows(
            successors=self._rows.successors[:count],
            weight=self._rows.weight[:count],
            residual=self._rows.residual[:count],
            correction=self._rows.correction[: 2 * count],
        )
        team = self._blocks.team()
        self._blocks.together(kernels.reduce_rows, team, self._lanes, rows, links, reduced)
        return reduced

    def expand(self, reduced: Rows, rows: Rows) -> None:
        """Write the correction of all states, given that of the junctions."""
        self._blocks.run(kernels.expand, self._links, reduced.correction, rows.correction)
