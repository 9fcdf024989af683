"""Rows shared out between shards: a k-d tree over the leading principal directions.

The partition decides only how many shards a query has to ask, never the answer. Its cuts are the
medians of a sample. The tree goes on below the shards, to `CELLS` cells of each; a shard
keeps, for every action and cell, the box around its rows in the principal coordinates. Gaps to
boxes are lower bounds of every distance, since orthonormal directions never lengthen a gap.
Coordinates of x are computed in float64, off by less than (D + 8) 2^-52 |x - mean| each, which
`margins` counts in for the point and for the farthest row of the shard.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Floats, Int32, Int64

DIRECTIONS = 16
"""Most principal directions that boxes have."""
CELLS = 32
"""Boxes of a shard and action, a power of two: many small ones leave out more than one."""
SAMPLE = 100_000
"""Rows that decide directions and cuts."""
ROWS_AT_ONCE = 65_536
UNDERFLOW = 1e-150
"""More than what is lost of a gap where float64 cannot hold its square."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Which shard a point belongs to.

    Attributes:
        mean: [D] float64.
        directions: [D, C] float64, orthonormal.
        axes: [P * CELLS - 1] int64, the direction of each cut, the root first.
        cuts: [P * CELLS - 1] float64, where; children of cut i are 2 i + 1 and 2 i + 2.
    """

    mean: Float64
    directions: Float64
    axes: Int64
    cuts: Float64

    @property
    def shards(self) -> int:
        """Number of shards (P), a power of two."""
        return (len(self.cuts) + 1) // CELLS

    def coordinates(self, points: Floats) -> Float64:
        """Return [B, C] float64."""
        return (points.astype(np.float64) - self.mean) @ self.directions

    def norms(self, points: Floats) -> Float64:
        """Return [B] distances from the mean."""
        return np.sqrt(np.square(points.astype(np.float64) - self.mean).sum(axis=1))

    def cell_of(self, points: Floats) -> Int32:
        """Return [B] the cell that each point falls into; its shard is that over `CELLS`."""
        leaves = len(self.cuts) + 1
        result = np.empty(len(points), np.int32)
        for start in range(0, len(points), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            coordinates = self.coordinates(points[part])
            node = np.zeros(len(coordinates), np.int64)
            every = np.arange(len(coordinates))
            for _ in range(leaves.bit_length() - 1):
                right = coordinates[every, self.axes[node]] > self.cuts[node]
                node = 2 * node + 1 + right
            result[part] = node - (leaves - 1)
        return result

    def margins(self, points: Floats, farthest: Float64) -> Float64:
        """Return [B, P] what rounding may do to gaps between points and shards' boxes.

        Args:
            points: [B, D].
            farthest: [P] largest distance of a shard's row from the mean.
        """
        dimensions, directions = self.directions.shape
        share = 2.0 * math.sqrt(directions) * (dimensions + 8) * 2.0**-52
        return share * (self.norms(points)[:, None] + farthest[None]) + UNDERFLOW


def make_partition(rows: Floats, shards: int, seed: int = 0) -> Partition:
    """Return a partition of the space around rows into so many shards, a power of two."""
    random = np.random.default_rng(seed)
    few = rows
    if len(rows) > SAMPLE:
        few = rows[np.sort(random.choice(len(rows), SAMPLE, replace=False))]
    sample = few.astype(np.float64)
    mean = sample.mean(axis=0)
    count = min(DIRECTIONS, sample.shape[1])
    _, vectors = np.linalg.eigh((sample - mean).T @ (sample - mean))
    directions, _ = np.linalg.qr(np.ascontiguousarray(vectors[:, ::-1][:, :count]))
    coordinates = (sample - mean) @ directions
    leaves = shards * CELLS
    axes, cuts = np.zeros(leaves - 1, np.int64), np.zeros(leaves - 1)
    groups = [np.arange(len(sample))]
    for node in range(leaves - 1):
        own = coordinates[groups[node]]
        if len(own):
            axes[node] = int(own.var(axis=0).argmax())
            cuts[node] = float(np.median(own[:, axes[node]]))
        right = own[:, axes[node]] > cuts[node]
        groups += [groups[node][~right], groups[node][right]]
    return Partition(mean, directions, axes, cuts)


def boxes_of(
    partition: Partition, rows: Floats, actions: Int32, cells: Int32, num_actions: int
) -> tuple[Float64, float]:
    """Return the boxes [A, CELLS, 2, C] around a shard's rows, and the largest norm of a row.

    Args:
        partition: of all rows.
        rows: [n, D] of the shard.
        actions: [n] of each.
        cells: [n] of each, within the shard.
        num_actions: A.
    """
    boxes = np.empty((num_actions * CELLS, 2, partition.directions.shape[1]))
    boxes[:, 0], boxes[:, 1] = np.inf, -np.inf
    farthest = 0.0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        coordinates = partition.coordinates(rows[part])
        farthest = max(farthest, float(partition.norms(rows[part]).max()))
        place = actions[part].astype(np.int64) * CELLS + cells[part]
        order = np.argsort(place, kind="stable")
        found, firsts = np.unique(place[order], return_index=True)
        lowest = np.minimum.reduceat(coordinates[order], firsts, axis=0)
        highest = np.maximum.reduceat(coordinates[order], firsts, axis=0)
        boxes[found, 0] = np.minimum(boxes[found, 0], lowest)
        boxes[found, 1] = np.maximum(boxes[found, 1], highest)
    return boxes.reshape(num_actions, CELLS, *boxes.shape[1:]), farthest


def in_shards(shard: Int32, shards: int) -> tuple[Int64, Int64]:
    """Return places in the order of (shard, place), and where each shard begins [P + 1]."""
    order = np.argsort(shard, kind="stable")
    starts = np.searchsorted(shard[order], np.arange(shards + 1))
    return order, starts
