"""How well the data support a state: its distance to the data, against the data's own.

Every state of a sample of the data is left out in turn, and its mean distance to its k
nearest others is noted. The support of a new state is the share of those that
lie at least as far from the rest as it does: 1 in the thick of the data, 0 beyond its edge.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats
from ..mdp.model import DacMdp
from ..neighbors.choice import serving_index
from ..neighbors.index import NeighborIndex

SAMPLE = 2_000
UNLIKE = 0.002
"""A state with less support than this is unlike anything in the data."""


class Support:
    """The data's own distances, and those of new states to the data.

    Args:
        index: over the features.
        features: [N, D] of the states that are indexed.
        k: neighbours to average.

    Attributes:
        reference: [S] float64, the data's own distances, smallest first.
    """

    def __init__(self, index: NeighborIndex, features: Floats, k: int) -> None:
        self.index, self.k = index, min(k, len(features))
        picks = np.random.default_rng(0).permutation(len(features))[:SAMPLE]
        _, distances = index.query(features[picks], min(k + 1, len(features)))
        others = distances[:, 1:] if distances.shape[1] > 1 else distances
        self.reference: Float64 = np.sort(others.mean(axis=1))

    @classmethod
    def known(cls, index: NeighborIndex, k: int, reference: Float64) -> Support:
        """Return the support of states whose own distances [S] are known, smallest first."""
        support = cls.__new__(cls)
        support.index, support.k, support.reference = index, k, reference
        return support

    def score(self, features: Floats) -> Float64:
        """Return [B] in [0, 1] for features [B, D]."""
        return self.of_distances(self.index.query(features, self.k)[1])

    def of_distances(self, distances: Float64) -> Float64:
        """Return [B] in [0, 1] for the distances [B, k] to the k nearest states."""
        nearer = np.searchsorted(self.reference, distances.mean(axis=1), side="left")
        return 1.0 - nearer / len(self.reference)


def support_of(mdp: DacMdp, k: int, index: NeighborIndex | None = None) -> Support:
    """Return the support by the states of a model that led on, or by all if none did.

    Args:
        mdp: the compiled MDP.
        k: neighbours to average.
        index: over those states, where there is one already.
    """
    living = ~mdp.transitions.terminations
    features = mdp.core_features[living] if living.any() else mdp.source_features
    return Support(serving_index(features) if index is None else index, features, k)
