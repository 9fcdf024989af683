"""Identical rows: found by hashing, confirmed by comparison, searched once."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..arrays import Array, Bool, Int32, Int64


@njit(nogil=True, cache=True)
def _hash_rows(words: Array) -> Int64:
    hashes = np.empty(len(words), dtype=np.int64)
    for i in range(len(words)):
        value = np.uint64(0x9E3779B97F4A7C15)
        for j in range(words.shape[1]):
            value = (value ^ np.uint64(words[i, j])) * np.uint64(0xD6E8FEB86659FD93)
            value ^= value >> np.uint64(32)
        hashes[i] = np.int64(value)
    return hashes


@njit(nogil=True, cache=True)
def _begins_group(words: Array, order: Int64) -> Bool:
    begins = np.ones(len(order), dtype=np.bool_)
    for i in range(1, len(order)):
        begins[i] = False
        for j in range(words.shape[1]):
            if words[order[i], j] != words[order[i - 1], j]:
                begins[i] = True
                break
    return begins


def group_identical(rows: Array) -> tuple[Int32, Int32]:
    """Return (members, starts): row numbers group after group, and where each group begins.

    The rows of a group are identical, bit for bit, and ascend; starts has one entry more than
    there are groups. Equal hashes of different rows at worst split a group in two.
    """
    words = np.ascontiguousarray(rows).view(np.uint32)
    order = np.argsort(_hash_rows(words), kind="stable")
    begins = np.flatnonzero(_begins_group(words, order))
    starts = np.append(begins, len(rows)).astype(np.int32)
    return order.astype(np.int32), starts
