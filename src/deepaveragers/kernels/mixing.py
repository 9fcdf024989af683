"""Mixing the results of several sweeps: the vector steps of Anderson acceleration.

`solvers.correction` decides how; here is what touches every state.
"""

from __future__ import annotations

import numba
import numpy as np

from ..arrays import Float32, Float64
from .cpu import kernel

reassociated = numba.njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract"}
)
STRIP = 512
"""States whose vectors are worked on together while they are in the nearest cache."""


@kernel
def remember(
    lo: int, hi: int, correction: Float32, origin: Float32, kept: Float32, moved: Float32
) -> None:
    """Keep the new half of the correction, and its change from `origin`, in [N] vectors."""
    size = kept.shape[0]
    for s in range(lo, hi):
        kept[s] = correction[s + size]
        moved[s] = correction[s + size] - origin[s]


@reassociated
def products(lo: int, hi: int, moved: Float32, latest: int) -> Float64:
    """Return the [M, M] weighted products of changes [M, N]; the weight is latest squared."""
    count = moved.shape[0]
    result, left = np.zeros((count, count)), np.empty(STRIP)
    for first in range(lo, hi, STRIP):
        length = min(STRIP, hi - first)
        focus = moved[latest, first : first + length]
        for m in range(count):
            one = moved[m, first : first + length]
            for s in range(length):
                left[s] = np.float64(focus[s]) * focus[s] * one[s]
            for n in range(m, count):
                other = moved[n, first : first + length]
                total = 0.0
                for s in range(length):
                    total += left[s] * other[s]
                result[m, n] += total
    return result


@kernel
def combine(
    lo: int, hi: int, shares: Float32, kept: Float32, correction: Float32, origin: Float32
) -> None:
    """Set both halves of the correction, and `origin`, to the mixture of kept vectors [M, N]."""
    size = kept.shape[1]
    for first in range(lo, hi, STRIP):
        end = min(first + STRIP, hi)
        mixed = origin[first:end]
        mixed[:] = 0.0
        for m in range(len(shares)):
            share, one = shares[m], kept[m, first:end]
            for s in range(end - first):
                mixed[s] += share * one[s]
        correction[first:end] = mixed
        correction[size + first : size + end] = mixed
