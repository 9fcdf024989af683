"""The order in which states are visited.

Gauss-Seidel is quick here because rows usually stand in the order in which they were
experienced. When they do not, the trajectories are found again from the graph itself, and
the MDP is solved with its states renamed.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Int32, frozen
from ..kernels import chains
from ..kernels.model import Model
from .blocks import Blocks

SAMPLE = 4_000
WORTHWHILE = 2_000
"""States below which any order is quick enough."""


def trajectory_order(model: Model) -> Int32 | None:
    """Return an order of the states that follows the trajectories; None if theirs does."""
    size = model.size
    if size < WORTHWHILE:
        return None
    sample = np.unique(np.linspace(0, size - 1, SAMPLE).astype(np.int32))
    successors = np.empty(len(sample), np.int32)
    chains.strong_successor(model, sample, successors)
    known = (successors != chains.NONE) & ~model.terminal[sample]
    if known.mean() < 0.2 or (successors[known] == sample[known] + 1).mean() > 0.5:
        return None
    everyone = np.arange(size, dtype=np.int32)
    successors = np.empty(size, np.int32)
    chains.strong_successor(model, everyone, successors)
    successors[model.terminal] = chains.NONE
    order = np.empty(size, np.int32)
    chains.chain_order(successors, order)
    return order


def renamed(model: Model, order: Int32, blocks: Blocks) -> Model:
    """Return the same MDP with row p standing for state order[p]."""
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    indices = np.empty_like(model.indices[:, :, : model.k])
    distances = np.empty_like(model.distances[:, :, : model.k])
    blocks.run(chains.reorder, order, rank, model, indices, distances)

    def rows(array: Array) -> Array:
        return frozen(array[order]) if len(array) == len(order) else array

    return model._replace(
        indices=frozen(indices),
        distances=frozen(distances),
        rewards=rows(model.rewards),
        terminal=rows(model.terminal),
        allowed=rows(model.allowed),
        policy=rows(model.policy),
    )


def restored(array: Array, order: Int32 | None) -> Array:
    """Return rows of the renamed MDP under their old names."""
    if order is None:
        return array
    result = np.empty_like(array)
    result[order] = array
    return result
