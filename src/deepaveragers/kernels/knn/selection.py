"""Selecting by rank without branches that the processor would have to guess.

Keys are distinct unsigned numbers. A partition writes every key twice and moves its boundary by
the outcome of the comparison, which takes a third of the time of one that branches on it. Few
keys are put in order by counting, for each of them, how many are smaller.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel

FEW = 32
"""Up to here, keys are put in order."""
MANY = 512
"""From here on, a sample of `SAMPLE` keys gives the pivot; below, three keys."""
SAMPLE = 15


@kernel
def select(keys: Any, low: int, high: int, target: int, sample: Any, spare: Any) -> None:
    """Reorder [low, high) so that every key before `target` is smaller than all that follow.

    Args:
        keys: unsigned, all different.
        low, high: which of them.
        target: a position among them.
        sample: [SAMPLE] scratch.
        spare: [FEW] scratch.
    """
    while high - low > FEW:
        pivot = _pivot(keys, low, high, target, sample, spare)
        cut = _partition(keys, low, high, pivot)
        if target < cut:
            high = cut
        elif cut > low:
            low = cut
        else:
            _put_first(keys, low, high, pivot)
            low += 1
        if target <= low or target >= high:
            return
    _put_in_order(keys, low, high, spare)


@kernel
def _pivot(keys: Any, low: int, high: int, target: int, sample: Any, spare: Any) -> Any:
    """Return a key somewhat beyond the target, seen from the nearer end: that side is kept."""
    size = high - low
    if size < MANY:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high - 1]
        return max(min(a, b), min(max(a, b), c))
    step = size // SAMPLE
    for j in range(SAMPLE):
        sample[j] = keys[low + step // 2 + j * step]
    _put_in_order(sample, np.int64(0), len(sample), spare)
    rank = (target - low) * SAMPLE // size
    before_middle = 2 * (target - low) < size
    return sample[min(rank + 1, SAMPLE - 1) if before_middle else max(rank - 1, 0)]


@kernel
def _partition(keys: Any, low: int, high: int, pivot: Any) -> int:
    """Put the keys below the pivot first; return where the others begin."""
    cut = low
    for i in range(low, high):
        key = keys[i]
        keys[i] = keys[cut]
        keys[cut] = key
        cut += key < pivot
    return cut


@kernel
def _put_first(keys: Any, low: int, high: int, key: Any) -> None:
    for i in range(low, high):
        if keys[i] == key:
            keys[i], keys[low] = keys[low], key
            return


@kernel
def _put_in_order(keys: Any, low: int, high: int, spare: Any) -> None:
    count = high - low
    for i in range(count):
        spare[i] = keys[low + i]
    for i in range(count):
        key = spare[i]
        smaller = 0
        for j in range(count):
            smaller += spare[j] < key
        keys[low + smaller] = key
