"""The graph as a solve reads it: with its states renamed in the order of visiting.

Renaming costs some sweeps' time, so the renamed graph is kept as long as its MDP lives, and
re-plans find it there. That doubles the memory of a large MDP's graph once it was solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Array, Float32, Float64, Int32, frozen
from ..kernels import chains
from ..kernels.model import Model
from ..mdp.model import DacMdp
from .blocks import Blocks
from .order import visiting_order


@dataclass(frozen=True, eq=False)
class Layout:
    """Row p stands for state order[p].

    Attributes:
        order: [N] int32.
        indices: [N, A, K] int32, renamed.
        distances: [N, A, K] float32.
    """

    order: Int32
    indices: Int32
    distances: Float32

    def renamed(self, model: Model) -> Model:
        """Return a model of the same graph in the order of visiting."""
        return model._replace(
            indices=self.indices,
            distances=self.distances,
            rewards=self.rows(model.rewards),
            terminal=self.rows(model.terminal),
            allowed=self.rows(model.allowed),
            policy=self.rows(model.policy),
        )

    def rows(self, array: Array) -> Array:
        """Return rows of states in the order of visiting; what is no row per state stays."""
        return frozen(array[self.order]) if len(array) == len(self.order) else array

    def restored(self, array: Float64, blocks: Blocks) -> Float64:
        """Return rows [N] or [N, A] in the order of visiting under their old names."""
        result = np.empty_like(array)
        rows = (len(array), -1)
        blocks.run(chains.restore, self.order, array.reshape(rows), result.reshape(rows))
        return result


_LAYOUTS: WeakKeyDictionary[DacMdp, Layout | None] = WeakKeyDictionary()


def layout_of(mdp: DacMdp, model: Model, blocks: Blocks) -> Layout | None:
    """Return the layout to solve in; None if the graph's own is as good.

    Args:
        mdp: the compiled MDP.
        model: any objective posed on it.
        blocks: to share the work.
    """
    if mdp not in _LAYOUTS:
        # By all neighbours: which objective came first must not tell in the bits of the next.
        model = model._replace(k=model.indices.shape[2])
        order = visiting_order(model, mdp.core_features, blocks)
        _LAYOUTS[mdp] = None if order is None else _laid_out(model, order, blocks)
    return _LAYOUTS[mdp]


def _laid_out(model: Model, order: Int32, blocks: Blocks) -> Layout:
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    indices, distances = np.empty_like(model.indices), np.empty_like(model.distances)
    blocks.run(chains.reorder, order, rank, model, indices, distances)
    return Layout(order, frozen(indices), frozen(distances))
