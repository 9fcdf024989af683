"""How well the data support a state: its distance to the data, against the data's own.

Every state of a sample of the data is left out in turn, and its mean distance to its k
nearest other core states is noted. The support of a new state is the share of those that
lie at least as far from the rest as it does: 1 in the thick of the data, 0 beyond its edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Floats, frozen
from ..neighbors.index import NeighborIndex

SAMPLE = 2_000
UNLIKE = 0.002
"""A state with less support than this is unlike anything in the data."""


@dataclass(frozen=True, eq=False)
class Support:
    """The data's own distances.

    Attributes:
        reference: [S] float64, ascending mean distances of left-out states.
    """

    reference: Float64

    def score(self, distances: Float64) -> Float64:
        """Return [B] in [0, 1] for neighbour distances [B, k]."""
        nearer = np.searchsorted(self.reference, distances.mean(axis=1), side="left")
        return 1.0 - nearer / len(self.reference)


def measure_support(index: NeighborIndex, features: Floats, k: int) -> Support:
    """Measure a sample of the indexed states against the others.

    Args:
        index: over the features.
        features: [N, D] of the core states that are indexed.
        k: neighbours to average, at most N.
    """
    picks = np.random.default_rng(0).permutation(len(features))[:SAMPLE]
    _, distances = index.query(features[picks], min(k + 1, len(features)))
    others = distances[:, 1:] if distances.shape[1] > 1 else distances
    return Support(frozen(np.sort(others.mean(axis=1))))
