"""Identical rows: found by hashing, confirmed by comparison, searched once."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Float32, Floats, Int32, Int64
from ..kernels.knn.distances import Groups

SEED = 20_210_503
BLOCK_WORDS = 1 << 20
"""Words of 32 bits that are hashed at once."""


def group_identical(rows: Array) -> tuple[Int32, Int32]:
    """Return (members, starts): row numbers group after group, and where each group begins.

    The rows of a group are identical, bit for bit, and ascend; starts has one entry more than
    there are groups. Equal hashes of different rows at worst split a group in two. Rows that
    are all different stay in their order.
    """
    words = np.ascontiguousarray(rows).view(np.uint32)
    bits = np.uint64(len(rows).bit_length())
    # The leading bits of every row's hash, and in the others the row's number. NumPy sorts
    # plain numbers several times faster than it finds their order.
    keys = _hashes(words) >> bits << bits | np.arange(len(rows), dtype=np.uint64)
    keys.sort()
    repeated = np.flatnonzero((keys[1:] ^ keys[:-1]) >> bits == 0) + 1
    if not len(repeated):
        return np.arange(len(rows), dtype=np.int32), np.arange(len(rows) + 1, dtype=np.int32)
    members = (keys & (np.uint64(1) << bits) - np.uint64(1)).astype(np.int32)
    begins = np.ones(len(rows) + 1, np.bool_)
    here, before = members[repeated], members[repeated - 1]
    begins[repeated] = (words[here] != words[before]).any(axis=1)
    return members, np.flatnonzero(begins).astype(np.int32)


def _hashes(words: Array) -> Array:
    """Return a hash [N] of every row: a sum of words times random odd factors, modulo 2^64."""
    factors = np.random.default_rng(SEED).integers(0, 2**64, words.shape[1], dtype=np.uint64)
    hashes = np.empty(len(words), np.uint64)
    block = max(1, BLOCK_WORDS // words.shape[1])
    for start in range(0, len(words), block):
        part = words[start : start + block].astype(np.uint64)
        np.matmul(part, factors | np.uint64(1), out=hashes[start : start + block])
    return hashes


def groups_in_order(members: Int32, starts: Int32, order: Int32 | Int64) -> tuple[Int32, Int32]:
    """Return (members, starts) of the same groups in another order."""
    counts = np.diff(starts)[order]
    begins = np.append(0, np.cumsum(counts)).astype(np.int32)
    shift = np.repeat(starts[:-1][order] - begins[:-1], counts)
    return members[np.arange(len(members), dtype=np.int32) + shift], begins


def write_lists(
    members: Int32, starts: Int32, action: int, rows: Int32, gaps: Array,
    indices: Int32, distances: Float32,
) -> None:  # fmt: skip
    """Write the neighbours of groups of identical states.

    Args:
        members: states, group after group.
        starts: [B + 1] where each of the groups begins.
        action: which.
        rows, gaps: [B, K] neighbours of each group, and how far they are.
        indices, distances: [N, A, K] out.
    """
    states = members[starts[0] : starts[-1]]
    group = np.repeat(np.arange(len(rows)), np.diff(starts))
    indices[states, action], distances[states, action] = rows[group], gaps[group]


def ordered_groups(distinct: Floats, members: Int32, starts: Int32, order: Int32) -> Groups:
    """Return distinct rows and their members in another order."""
    if len(order) == len(members):
        # No row has a copy: every group is its member.
        return Groups(distinct.take(order, axis=0), starts, members[order])
    members, starts = groups_in_order(members, starts, order)
    return Groups(distinct.take(order, axis=0), starts, members)
