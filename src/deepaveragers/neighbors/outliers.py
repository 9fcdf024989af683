"""Rows far out, which are left out of the filter.

Engines filter in float32, and allow for a rounding error that grows with the norm of the farthest
row (see `principal`). One row at a million times the spread of the others, a sensor's error code
say, makes it larger than the distances between those, and the filter lets everything through.
So such rows, if there are few, are set aside and measured by `kernels.outliers`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats, Int32
from ..kernels.outliers import far_out

FAR = 32.0
"""Times the typical gap to the centre."""
MOST = 4096
"""With more of them, they are not what the others have to be protected from."""
SAMPLE = 1000


def outlying(rows: Floats) -> Int32:
    """Return the numbers of the rows far out; none if there are many."""
    some = rows
    if len(rows) > SAMPLE:
        some = rows.take(np.random.default_rng(0).integers(0, len(rows), SAMPLE), axis=0)
    centre = np.median(some, axis=0).astype(np.float64)
    typical = float(np.median(np.abs(some - centre).max(axis=1)))
    found = np.empty(MOST, np.int32)
    count = far_out(rows, centre, FAR * typical, found) if typical > 0 else 0
    return found[: count if count <= MOST else 0]


def from_within(rows: Floats, far: Int32, centre: Float64) -> tuple[Int32, Float64]:
    """Return those far out by their distance from the centre, and these distances."""
    norms = np.linalg.norm(rows[far] - centre, axis=1)
    order = np.argsort(norms, kind="stable")
    return far[order], norms[order]


def put_last(far: Int32, order: Int32) -> Int32:
    """Return an order of the other rows as one of all rows, with those far out at the end."""
    others = np.delete(np.arange(len(order) + len(far), dtype=np.int32), far)
    return np.concatenate([others[order], far])
