"""Rows far out, which are left out of the filter.

Engines filter in float32, and allow for a rounding error that grows with the norm of the farthest
row (see `projection`). One row at a million times the spread of the others, a sensor's error code
say, makes it larger than the distances between those, and the filter lets everything through.
So such rows, if there are few, are set aside and measured by `kernels.knn.outliers`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats, Int32, column_range
from .tuning import TUNING, Tuning


def outlying(rows: Floats, *, tuning: Tuning = TUNING) -> Int32:
    """Return the numbers of the rows far out along any dimension; none if there are many."""
    some = rows
    if len(rows) > tuning.outlier_sample:
        picks = np.random.default_rng(0).integers(0, len(rows), tuning.outlier_sample)
        some = rows.take(picks, axis=0)
    centre = np.median(some, axis=0).astype(np.float64)
    limit = tuning.outlier_gap * float(np.median(np.abs(some - centre).max(axis=1)))
    lowest, highest = column_range(rows)
    beyond = (highest - centre > limit) | (centre - lowest > limit)
    if limit == 0.0 or not beyond.any():
        return np.empty(0, np.int32)
    far = (np.abs(rows[:, beyond] - centre[beyond]) > limit).any(axis=1)
    found = np.flatnonzero(far).astype(np.int32)
    return found[: len(found) if len(found) <= tuning.most_outliers else 0]


def by_norm(rows: Floats, far: Int32, centre: Float64) -> tuple[Int32, Float64]:
    """Return those far out by their distance from the centre, and these distances."""
    norms = np.linalg.norm(rows[far] - centre, axis=1)
    order = np.argsort(norms, kind="stable")
    return far[order], norms[order]


def put_last(far: Int32, order: Int32) -> Int32:
    """Return an order of the other rows as one of all rows, with those far out at the end."""
    if len(far) == 0:
        return order
    others = np.delete(np.arange(len(order) + len(far), dtype=np.int32), far)
    return np.concatenate([others[order], far])
