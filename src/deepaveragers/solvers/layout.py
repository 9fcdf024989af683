"""The order in which a solve reads the states of an MDP, which it renames.

The order is kept as long as its MDP lives. Ordinary plans read the table alone, which is made
in that order (`table`). Sweeps in float64 read the graph itself, renamed: that costs some sweeps'
time and as much memory as the graph, so it is made when first needed, and then kept as well.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Array, Float32, Float64, Int32, frozen, rows_at
from ..kernels import chains
from ..kernels.model import Model
from ..mdp.model import DacMdp
from .blocks import Blocks
from .order import visiting_order


class Layout:
    """Row p stands for state order[p].

    Attributes:
        order: [N] int32.
        graph: renamed indices [N, A, K] int32 and distances [N, A, K] float32; None before
            `renamed` was called.
    """

    def __init__(self, order: Int32) -> None:
        self.order: Int32 = frozen(order)
        self.graph: tuple[Int32, Float32] | None = None

    @property
    def rank(self) -> Int32:
        """[N] int32, the row that stands for a state."""
        rank = np.empty_like(self.order)
        rank[self.order] = np.arange(len(rank), dtype=np.int32)
        return frozen(rank)

    def without_graph(self, model: Model) -> Model:
        """Return a model in the order of visiting; its graph has no rows."""
        return model._replace(
            indices=frozen(np.empty((0, *model.indices.shape[1:]), np.int32)),
            distances=frozen(np.empty((0, *model.distances.shape[1:]), np.float32)),
            rewards=self.rows(model.rewards),
            terminal=self.rows(model.terminal),
            allowed=self.rows(model.allowed),
            policy=self.rows(model.policy),
        )

    def renamed(self, model: Model, blocks: Blocks) -> tuple[Int32, Float32]:
        """Return the graph of a model in the order of visiting."""
        if self.graph is None:
            indices, distances = np.empty_like(model.indices), np.empty_like(model.distances)
            blocks.run(chains.reorder, self.order, self.rank, model, indices, distances)
            self.graph = frozen(indices), frozen(distances)
        return self.graph

    def rows(self, array: Array) -> Array:
        """Return rows of states in the order of visiting; what is no row per state stays."""
        return frozen(rows_at(array, self.order)) if len(array) == len(self.order) else array

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
        _LAYOUTS[mdp] = None if order is None else Layout(order)
    return _LAYOUTS[mdp]
