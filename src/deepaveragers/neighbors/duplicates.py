"""Identical rows: found by hashing, confirmed by comparison, searched once."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Int32

SEED = 20_210_503


def group_identical(rows: Array) -> tuple[Int32, Int32]:
    """Return (members, starts): row numbers group after group, and where each group begins.

    The rows of a group are identical, bit for bit, and ascend; starts has one entry more than
    there are groups. Equal hashes of different rows at worst split a group in two.
    """
    words = np.ascontiguousarray(rows).view(np.uint32)
    factors = np.random.default_rng(SEED).integers(0, 2**64, words.shape[1], dtype=np.uint64)
    hashes = np.einsum("ij,j->i", words, factors | np.uint64(1))
    order = np.argsort(hashes)
    begins = np.append(True, np.diff(hashes[order]) != 0)
    if not begins.all():
        # Slower, and needed only where some are equal.
        order = np.argsort(hashes, kind="stable")
    repeated = np.flatnonzero(~begins)
    begins[repeated] = (words[order[repeated]] != words[order[repeated - 1]]).any(axis=1)
    starts = np.append(np.flatnonzero(begins), len(rows))
    return order.astype(np.int32), starts.astype(np.int32)
