"""The order in which states are visited.

Gauss-Seidel is quick here because rows usually stand in the order in which they were
experienced. When they do not, the trajectories are found again from the graph itself, and
the MDP is solved with its states renamed.

Fetching the values of successors is what a sweep costs once they outgrow the processor's
cache. So a large MDP is renamed region by region of the feature space, trajectories in
their order within each: successors lie in the same region or one beside it, and most are
in the cache. Smaller regions would make sweeps cheaper still, but cut the trajectories into
pieces too short to carry values far.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Float32, Floats, Int32, Int64
from ..kernels import chains, regions
from ..kernels.model import Model
from .blocks import Blocks

SAMPLE = 4_000
WORTHWHILE = 2_000
"""States below which any order is quick enough."""


LARGE = 200_000
"""States from which on regions pay."""
REGION, SAMPLE_PER_REGION = 4_000, 64
"""States in a region; with those beside it, their values stay in the second cache."""
DIRECTIONS, PRODUCTS_AT_ONCE = 8, 1 << 18
"""Principal directions at most; and products up to which BLAS starts no threads beside ours."""


def visiting_order(model: Model, features: Floats, blocks: Blocks) -> Int32 | None:
    """Return the order of the states to solve in; None if it is theirs.

    Args:
        model: the MDP.
        features: [N, D] representation of its states.
        blocks: to share the work.
    """
    chained = trajectory_order(model)
    if model.size < LARGE:
        return chained
    places = region_of(features, model.size // REGION, blocks)
    if chained is None:
        return np.argsort(places, kind="stable").astype(np.int32)
    return chained[np.argsort(places[chained], kind="stable")]


def region_of(features: Floats, count: int, blocks: Blocks) -> Array:
    """Return [N] the region of every state: cells of a k-d tree that was built on a sample.

    Cells are halved along their widest direction among the leading principal ones.

    Args:
        features: [N, D].
        count: how many regions, made a power of 2; neighbours have neighbouring numbers.
        blocks: to share the work.
    """
    count = 1 << max(1, count.bit_length() - 1)
    picked = np.linspace(0, len(features) - 1, count * SAMPLE_PER_REGION).astype(np.int64)
    sample = np.asarray(features[picked], np.float32)
    mean = sample.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.cov(sample.T).reshape(len(mean), len(mean))
    rotation = np.linalg.eigh(spread)[1][:, ::-1][:, :DIRECTIONS].astype(np.float32)
    axes, cuts = _halved((sample - mean) @ rotation, count)
    places = np.empty(len(features), np.uint16)

    at_once = max(1, PRODUCTS_AT_ONCE // rotation.size)

    def place(lo: int, hi: int) -> None:
        for first in range(lo, hi, at_once):
            part = slice(first, min(first + at_once, hi))
            rotated = (np.asarray(features[part], np.float32) - mean) @ rotation
            regions.assign(rotated, axes, cuts, places[part])

    blocks.run(place)
    return places


def _halved(sample: Float32, count: int) -> tuple[Int64, Float32]:
    """Return the axis and the place of each cut of a binary tree; see `regions.assign`."""
    axes, cuts = np.zeros(count, np.int64), np.zeros(count, np.float32)
    cells = {1: sample}
    for node in range(1, count):
        cell = cells.pop(node)
        axis = int(cell.std(axis=0, dtype=np.float64).argmax())
        cut = np.median(cell[:, axis])
        above = cell[:, axis] > cut
        axes[node], cuts[node] = axis, cut
        # A cell of equal states cannot be cut: no state comes to its other half.
        cells[2 * node] = cell[~above]
        cells[2 * node + 1] = cell[above] if above.any() else cell[:1]
    return axes, cuts


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
