"""Names for the array types that pass between the rooms.

Legend used everywhere: N transitions, A actions, K neighbours, D dimensions, B batch.
"""

from __future__ import annotations

from tokenize import TokenError
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.floating[Any]]
Float32: TypeAlias = NDArray[np.float32]
Float64: TypeAlias = NDArray[np.float64]
Int32: TypeAlias = NDArray[np.int32]
Int64: TypeAlias = NDArray[np.int64]
Bool: TypeAlias = NDArray[np.bool_]

HEADER_PROBLEMS = (
    ValueError,
    EOFError,
    SyntaxError,
    TypeError,
    OverflowError,
    RecursionError,
    TokenError,
)
"""What NumPy raises for the header of a .npy file that is none; it parses Python literals."""


def frozen(array: Array) -> Array:
    """Return the array as a read-only view: records between the rooms do not change."""
    view = array.view()
    view.flags.writeable = False
    return view


def column_range(rows: Floats) -> tuple[Floats, Floats]:
    """Return the smallest and the largest number [D] of every column of rows [N, D], N >= 1.

    Rows are laid side by side first: NumPy is slow where few columns have many rows.
    """
    beside = max(1, min(1024 // rows.shape[1], len(rows)))
    whole = len(rows) // beside * beside
    wide = np.ascontiguousarray(rows[:whole]).reshape(-1, beside * rows.shape[1])
    ends = []
    for end in (np.min, np.max):
        folded = end(wide, axis=0).reshape(beside, -1)
        ends.append(end(np.concatenate([folded, rows[whole:]]), axis=0))
    return ends[0], ends[1]


def rows_at(array: Array, rows: slice | Array) -> Array:
    """Return array[rows]; NumPy takes by numbers or a mask several times faster than it indexes."""
    if isinstance(rows, slice):
        return np.ascontiguousarray(array[rows])
    if rows.dtype == np.bool_ and rows.shape == array.shape[:1]:
        return np.compress(rows, array, axis=0)
    return array.take(rows, axis=0) if rows.dtype.kind == "i" else array[rows]
