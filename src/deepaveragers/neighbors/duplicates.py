"""Identical rows: found by hashing, confirmed by comparison, searched once."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Int32
from ..kernels.hashing import numbered_hashes

SEED = 20_210_503


def group_identical(rows: Array) -> tuple[Int32, Int32]:
    """Return (members, starts): row numbers group after group, and where each group begins.

    The rows of a group are identical, bit for bit, and ascend; starts has one entry more than
    there are groups. Equal hashes of different rows at worst split a group in two. Rows that
    are all different stay in their order.
    """
    words = np.ascontiguousarray(rows).view(np.uint32)
    factors = np.random.default_rng(SEED).integers(0, 2**64, words.shape[1], dtype=np.uint64)
    bits = len(rows).bit_length()
    keys = np.empty(len(rows), np.uint64)
    numbered_hashes(words, factors | np.uint64(1), bits, keys)
    # NumPy sorts plain numbers several times faster than it finds their order.
    keys.sort()
    repeated = np.flatnonzero((keys[1:] ^ keys[:-1]) >> np.uint64(bits) == 0) + 1
    if not len(repeated):
        return np.arange(len(rows), dtype=np.int32), np.arange(len(rows) + 1, dtype=np.int32)
    members = (keys & np.uint64(2**bits - 1)).astype(np.int32)
    begins = np.ones(len(rows) + 1, np.bool_)
    here, before = members[repeated], members[repeated - 1]
    begins[repeated] = (words[here] != words[before]).any(axis=1)
    return members, np.flatnonzero(begins).astype(np.int32)


def groups_in_order(members: Int32, starts: Int32, order: Int32) -> tuple[Int32, Int32]:
    """Return (members, starts) of the same groups in another order."""
    counts = np.diff(starts)[order]
    begins = np.append(0, np.cumsum(counts)).astype(np.int32)
    shift = np.repeat(starts[:-1][order] - begins[:-1], counts)
    return members[np.arange(len(members), dtype=np.int32) + shift], begins
