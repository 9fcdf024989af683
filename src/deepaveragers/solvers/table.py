"""The graph as a table of successors, their shares and rewards, which objectives have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Float32, Float64, Int32
from ..kernels import cpu
from ..kernels import table as kernels
from ..mdp.model import DacMdp
from .workspace import Workspace

MOST_KEPT = 2 << 30
"""Bytes; a larger table is made for each solve."""


@dataclass(frozen=True, eq=False)
class Table:
    """What `kernels.table.tabulate` and `expect` wrote, in the order of visiting.

    Attributes:
        renamed: whether rows are in the order of a layout; solves on a GPU have none.
        uniform: whether all neighbours count alike.
        index: [N, A, k] int32.
        weight: [N, A, k] float32.
        distance: [N, A] float32.
        farthest: the largest distance.
        rewards: [N] float64, of the transitions.
        mean: [N, A] float32, of the rewards.
    """

    renamed: bool
    uniform: bool
    index: Int32
    weight: Float32
    distance: Float32
    farthest: float
    rewards: Float64
    mean: Float32

    def suits(self, work: Workspace) -> bool:
        """Whether this is the table of a solve of the same MDP, but perhaps for its rewards."""
        asked = work.layout is not None, work.model.uniform, work.model.k
        return (self.renamed, self.uniform, self.index.shape[2]) == asked

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        arrays = self.index, self.weight, self.distance, self.rewards, self.mean
        return sum(array.nbytes for array in arrays)


_TABLES: WeakKeyDictionary[DacMdp, Table] = WeakKeyDictionary()


def table_of(mdp: DacMdp, work: Workspace) -> Table:
    """Return the table of a model; the last one of an MDP is kept as long as that lives.

    Args:
        mdp: the compiled MDP.
        work: on an objective posed on it.
    """
    kept = _TABLES.get(mdp)
    if kept is None or not kept.suits(work):
        table = _tabulated(work)
    elif not np.array_equal(kept.rewards, work.model.rewards):
        table = _rewarded(kept, work)
    else:
        return kept
    if table.nbytes <= MOST_KEPT:
        _TABLES[mdp] = table
    return table


def _tabulated(work: Workspace) -> Table:
    model = work.model
    pairs = work.posed.indices.shape[:2]
    index, weight = np.empty((*pairs, model.k), np.int32), np.empty((*pairs, model.k), np.float32)
    distance, mean = np.empty(pairs, np.float32), np.empty(pairs, np.float32)
    rank = work.order if work.layout is None else work.layout.rank
    found = work.blocks.run(
        kernels.tabulate, cpu.lanes_of(model.k), model, work.posed, work.order, rank,
        index, weight, distance, mean,
    )  # fmt: skip
    # A copy: those of an objective are the caller's, who may write others there.
    rewards, renamed = model.rewards.copy(), work.layout is not None
    return Table(renamed, model.uniform, index, weight, distance, max(found), rewards, mean)


def _rewarded(table: Table, work: Workspace) -> Table:
    mean = np.empty_like(table.mean)
    work.blocks.run(
        kernels.expect, cpu.lanes_of(work.model.k), work.model, table.index, table.weight, mean
    )
    return replace(table, rewards=work.model.rewards.copy(), mean=mean)
