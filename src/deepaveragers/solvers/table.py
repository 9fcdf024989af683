"""The graph as a table of successors and their shares, which all objectives have in common."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Float32, Int32
from ..kernels import cpu, draft
from ..kernels.model import Model
from ..mdp.model import DacMdp
from .blocks import Blocks

MOST_KEPT = 1 << 30
"""Bytes; a larger table is made for each solve."""


@dataclass(frozen=True, eq=False)
class Table:
    """What `kernels.draft.weigh` wrote.

    Attributes:
        source: [N, A, K] int32, the graph in the order of visiting.
        k: neighbours averaged.
        uniform: whether all count alike.
        index: [N, A, k] int32.
        weight: [N, A, k] float32.
    """

    source: Int32
    k: int
    uniform: bool
    index: Int32
    weight: Float32

    def suits(self, model: Model) -> bool:
        """Whether this is the table of a model."""
        same_graph = self.source.ctypes.data == model.indices.ctypes.data
        return same_graph and (self.k, self.uniform) == (model.k, model.uniform)


_TABLES: WeakKeyDictionary[DacMdp, Table] = WeakKeyDictionary()


def table_of(mdp: DacMdp, model: Model, blocks: Blocks) -> Table:
    """Return the table of a model; the last one of an MDP is kept as long as that lives.

    Args:
        mdp: the compiled MDP.
        model: an objective posed on it, in its layout.
        blocks: to share the work.
    """
    table = _TABLES.get(mdp)
    if table is not None and table.suits(model):
        return table
    shape = (*model.indices.shape[:2], model.k)
    index, weight = np.empty(shape, np.int32), np.empty(shape, np.float32)
    blocks.run(draft.weigh, cpu.lanes_of(model.k), model, index, weight)
    table = Table(model.indices, model.k, model.uniform, index, weight)
    if index.nbytes + weight.nbytes <= MOST_KEPT:
        _TABLES[mdp] = table
    return table
