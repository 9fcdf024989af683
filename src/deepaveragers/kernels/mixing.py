"""Mixing the results of several sweeps: the vector steps of Anderson acceleration.

`solvers.correction` says why; `kernels.evaluation` calls them between its sweeps.
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
RIDGE = 1e-10
"""Added to the products, relative to their trace: sweeps may be nearly dependent."""


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
def products(
    lo: int, hi: int, moved: Float32, latest: int, unit: float, left: Float32, sums: Float64
) -> None:  # fmt: skip
    """Add the upper [M, M] weighted products of changes [M, N]; the weight is latest squared.

    Args:
        lo: first state of the block.
        hi: one past its last state.
        moved: [M, N] changes.
        latest: the row that is the weight.
        unit: a float32, 1 / the largest change: products of four must not underflow.
        left: [STRIP] scratch.
        sums: [M, M] added to.
    """
    count = moved.shape[0]
    for first in range(lo, hi, STRIP):
        length = min(STRIP, hi - first)
        focus = moved[latest, first : first + length]
        for m in range(count):
            one = moved[m, first : first + length]
            for s in range(length):
                weight = focus[s] * unit
                left[s] = weight * weight * (one[s] * unit) * unit
            for n in range(m, count):
                other = moved[n, first : first + length]
                total = np.float32(0.0)
                for s in range(length):
                    total += left[s] * other[s]
                sums[m, n] += np.float64(total)


@kernel
def shares_of(sums: Float64, count: int, latest: int, shares: Float32) -> None:
    """Write the [M] shares of least mixed change: G x = 1, scaled so that they add up to 1.

    Args:
        sums: [blocks, M, M] upper products of every block.
        count: M.
        latest: the sweep that is taken alone where there is no such mixture.
        shares: [M] written.
    """
    shares[:count] = 0.0
    shares[latest] = 1.0
    system = np.ones((count, count + 1))
    trace = 0.0
    for m in range(count):
        for n in range(m, count):
            total = 0.0
            for block in range(len(sums)):
                total += sums[block, m, n]
            system[m, n] = total
            system[n, m] = total
        trace += system[m, m]
    if count == 1 or not 0.0 < trace < np.inf:
        return
    for m in range(count):
        system[m, m] += RIDGE * trace
    # Gauss without pivots: the matrix is symmetric and positive definite.
    for m in range(count):
        for below in range(m + 1, count):
            factor = system[below, m] / system[m, m]
            for n in range(m, count + 1):
                system[below, n] -= factor * system[m, n]
    solution, whole = np.zeros(count), 0.0
    for m in range(count - 1, -1, -1):
        left = system[m, count]
        for n in range(m + 1, count):
            left -= system[m, n] * solution[n]
        solution[m] = left / system[m, m]
        whole += solution[m]
    if np.isfinite(whole) and whole != 0.0:
        for m in range(count):
            shares[m] = solution[m] / whole


@kernel
def combine(
    lo: int, hi: int, shares: Float32, latest: int, kept: Float32, correction: Float32,
    origin: Float32,
) -> None:  # fmt: skip
    """Set both halves of the correction, and `origin`, to the mixture of kept vectors [M, N].

    As the latest plus shares of differences: shares may be large, and differences are small.
    """
    count, size = kept.shape
    for first in range(lo, hi, STRIP):
        end = min(first + STRIP, hi)
        mixed, last = origin[first:end], kept[latest, first:end]
        mixed[:] = last
        for m in range(count):
            if m == latest:
                continue
            share, one = shares[m], kept[m, first:end]
            for s in range(end - first):
                mixed[s] += share * (one[s] - last[s])
        correction[first:end] = mixed
        correction[size + first : size + end] = mixed
