"""Rows of a dataset as callers name them: a slice, a mask, or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError


def checked_rows(rows: Any, size: int) -> Array:
    """Return a mask of so many flags, or row numbers among so many; negative ones from the end."""
    taken = np.asarray(rows, dtype=None if np.size(rows) else np.int64)
    if taken.ndim != 1 or taken.dtype.kind not in "iub":
        received = f"shape {taken.shape} of {taken.dtype}"
        raise InputError("rows", "a slice, a mask, or row numbers", received)
    if taken.dtype.kind == "b":
        if len(taken) != size:
            raise InputError("rows", f"a mask of {size:,} flags, one per row", f"{len(taken):,}")
    elif len(taken) and (taken.max() >= size or taken.min() < -size):
        number = taken.max() if taken.max() >= size else taken.min()
        raise InputError("rows", f"row numbers from 0 to {size - 1}", f"{number}")
    return taken
