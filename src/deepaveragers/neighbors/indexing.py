"""The nearest rows of a set of points, for those who need them without an MDP."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from ..arguments import choice, known_keywords
from ..errors import InputError
from .choice import EXACT, serving_index
from .features import check_features
from .index import NeighborIndex

ExactEngine = Literal["auto", "tree", "dense", "brute", "torch"]


@known_keywords
def neighbor_index(rows: Any, engine: ExactEngine = "auto") -> NeighborIndex:
    """Return an exact index of rows: `index.query(points, k)` gives row numbers and distances.

    Args:
        rows: [N, D] numbers.
        engine: "tree", "dense", "brute" or "torch", which differ in speed alone; "auto" takes
            the one that answers single queries the fastest.
    """
    name = choice("engine", engine, get_args(ExactEngine))
    try:
        array = np.asarray(rows)
    except ValueError:
        raise InputError("rows", "an array [N, D] of numbers", type(rows).__name__) from None
    if array.dtype.kind in "iu":
        array = array.astype(np.float64)
    check_features(array, "rows")
    return serving_index(array) if name == "auto" else EXACT[name](array)
