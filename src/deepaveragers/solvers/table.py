"""The graph as a table of successors, their shares and rewards, which objectives have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Float32, Float64, Int32
from ..kernels import cpu, draft
from ..kernels.model import Model
from ..mdp.model import DacMdp
from .blocks import Blocks

MOST_KEPT = 1 << 30
"""Bytes; a larger table is made for each solve."""


@dataclass(frozen=True, eq=False)
class Table:
    """What `kernels.draft.weigh` and `expect` wrote.

    Attributes:
        source: [N, A, K] int32, the graph in the order of visiting.
        k: neighbours averaged.
        uniform: whether all count alike.
        index: [N, A, k] int32.
        weight: [N, A, k] float32.
        distance: [N, A] float32.
        farthest: the largest distance.
        rewards: [N] float64, of the transitions.
        mean: [N, A] float32, of the rewards.
    """

    source: Int32
    k: int
    uniform: bool
    index: Int32
    weight: Float32
    distance: Float32
    farthest: float
    rewards: Float64
    mean: Float32

    def suits(self, model: Model) -> bool:
        """Whether this is the table of a model, but perhaps for its rewards."""
        same_graph = self.source.ctypes.data == model.indices.ctypes.data
        return same_graph and (self.k, self.uniform) == (model.k, model.uniform)

    @property
    def nbytes(self) -> int:
        """Memory in bytes, without the graph's."""
        arrays = self.index, self.weight, self.distance, self.rewards, self.mean
        return sum(array.nbytes for array in arrays)


_TABLES: WeakKeyDictionary[DacMdp, Table] = WeakKeyDictionary()


def table_of(mdp: DacMdp, model: Model, blocks: Blocks) -> Table:
    """Return the table of a model; the last one of an MDP is kept as long as that lives.

    Args:
        mdp: the compiled MDP.
        model: an objective posed on it, in its layout.
        blocks: to share the work.
    """
    kept = _TABLES.get(mdp)
    if kept is None or not kept.suits(model):
        table = _rewarded(_weighed(model, blocks), model, blocks)
    elif not np.array_equal(kept.rewards, model.rewards):
        table = _rewarded(kept, model, blocks)
    else:
        return kept
    if table.nbytes <= MOST_KEPT:
        _TABLES[mdp] = table
    return table


def _weighed(model: Model, blocks: Blocks) -> Table:
    """Return a table whose rewards are still to come."""
    pairs = model.indices.shape[:2]
    index, weight = np.empty((*pairs, model.k), np.int32), np.empty((*pairs, model.k), np.float32)
    distance = np.empty(pairs, np.float32)
    found = blocks.run(draft.weigh, cpu.lanes_of(model.k), model, index, weight, distance)
    none = np.empty(0)
    return Table(
        model.indices, model.k, model.uniform, index, weight, distance, max(found),
        none, none.astype(np.float32),
    )  # fmt: skip


def _rewarded(table: Table, model: Model, blocks: Blocks) -> Table:
    mean = np.empty(model.indices.shape[:2], np.float32)
    blocks.run(draft.expect, cpu.lanes_of(model.k), model, table.weight, mean)
    # A copy: those of an objective are the caller's, who may write others into the same array.
    return replace(table, rewards=model.rewards.copy(), mean=mean)
