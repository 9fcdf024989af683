"""Hashes of rows: equal rows have equal ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel


@kernel
def numbered_hashes(words: Any, factors: Any, number_bits: int, keys: Any) -> None:
    """Write the leading bits of every row's hash, and in the other bits the row's number.

    Args:
        words: [N, W] uint32, the rows.
        factors: [W] odd uint64.
        number_bits: enough for N.
        keys: [N] uint64 out.
    """
    shift = np.uint64(number_bits)
    for i in range(len(words)):
        total = np.uint64(0)
        for j in range(words.shape[1]):
            total += np.uint64(words[i, j]) * factors[j]
        keys[i] = total >> shift << shift | np.uint64(i)
