"""Neighbours over shards: which shards may hold nearer rows, and lists merged in order."""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Bool, Float64, Int32, Int64
from ..jit import kernel
from .distances import ROUGHLY, insert


@kernel
def _gap(coordinates: Float64, i: int, box: Float64, limit: float) -> float:
    """Return the squared distance from a point to a box, or anything above the limit beyond it."""
    total = 0.0
    for d in range(coordinates.shape[1]):
        below, above = box[0, d] - coordinates[i, d], coordinates[i, d] - box[1, d]
        gap = max(0.0, max(below, above))
        total += gap * gap
        if total > limit:
            break
    return total


@kernel
def _reaches(coordinates: Float64, i: int, boxes: Float64, limit: float) -> bool:
    """Whether any of the boxes [S, 2, C] that hold rows is as near to a point."""
    for cell in range(len(boxes)):
        holds = boxes[cell, 0, 0] <= boxes[cell, 1, 0]
        if holds and _gap(coordinates, i, boxes[cell], limit) <= limit:
            return True
    return False


@kernel
def _limit(squared: float, margin: float) -> float:
    """Return the squared gap beyond which a box holds nothing as near, whatever was rounded."""
    reach = math.sqrt(squared) * ROUGHLY + margin
    return reach * reach * ROUGHLY


@kernel
def mark_visits(
    coordinates: Float64, margins: Float64, kth: Float64, boxes: Float64, around: Float64,
    home: int, asks: Bool,
) -> None:  # fmt: skip
    """Write which points have to ask each shard [P, B]; `around` [P, 2, C] are boxes of shards."""
    for i in range(len(coordinates)):
        for shard in range(len(boxes)):
            limit = _limit(kth[i], margins[i, shard])
            near = shard != home and _gap(coordinates, i, around[shard], limit) <= limit
            asks[shard, i] = near and _reaches(coordinates, i, boxes[shard], limit)


@kernel
def merge_lists(points: Int32, rows: Int32, squared: Float64, found: Int32, best: Float64) -> None:
    """Merge what a shard found, `rows` and `squared` [M, K], into lists of points [M].

    The lists `found` and `best` [B, K] are by (distance, row), with `NO_ROW` and inf for none.
    """
    for m in range(len(points)):
        for j in range(rows.shape[1]):
            if rows[m, j] < 0:
                break
            if not insert(best, found, points[m], squared[m, j], rows[m, j]):
                break


def visits_of(
    coordinates: Float64, margins: Float64, kth: Float64, boxes: Float64, home: int
) -> tuple[Int32, Int64]:
    """Return the points [M] that have to ask each shard, and where each shard's begin [P + 1].

    `margins` [B, P] is what rounding may do to a gap between a point and a shard, `kth` [B] the
    squared distance of the k-th neighbour found at home. `boxes` [P, S, 2, C] are the lowest and
    highest coordinates of an action's rows in each cell of a shard; inf and -inf for no row.
    """
    around = np.stack([boxes[:, :, 0].min(axis=1), boxes[:, :, 1].max(axis=1)], axis=1)
    asks = np.empty((len(boxes), len(coordinates)), np.bool_)
    mark_visits(coordinates, margins, kth, boxes, around, home, asks)
    starts = np.append(0, np.cumsum(asks.sum(axis=1)))
    return asks.nonzero()[1].astype(np.int32), starts
