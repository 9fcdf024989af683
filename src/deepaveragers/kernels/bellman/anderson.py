"""Anderson acceleration: the mixture of several sweeps' results whose mixed change is least.

Of the last M results g_m, with changes f_m, take the mixture with shares summing to 1 whose mixed
change is least, in a Euclidean norm that weights every state by the square of its last change.
The bounds of a plan are in the largest norm, and the slowest changes are often local (a few
states that lead to each other), so the states that still move most must count most.

Reference: Walker and Ni, Anderson acceleration for fixed-point iterations, 2011.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Float32, Float64, Int32
from ..jit import kernel, reassociated
from .barrier import wait_for_all
from .sweep_state import SweepState, publish

STRIP = 512
"""States whose vectors are worked on together while they are in the nearest cache. They are counted
by unsigned numbers: signed ones might count from an array's end, and loops are not vectorised."""
RIDGE = 1e-10
"""Added to the products, relative to their trace: sweeps may be nearly dependent."""


class AndersonMemory(NamedTuple):
    """The last M results, to be mixed.

    Attributes:
        sweeps: how many sweeps make a result.
        origin: [N] float32, what the last mixture gave.
        kept: [M, N] float32, results.
        moved: [M, N] float32, what they changed.
        sums: [blocks, M, M] float64, products of changes.
    """

    sweeps: int
    origin: Float32
    kept: Float32
    moved: Float32
    sums: Float64


@kernel
def _remember(
    lo: int, hi: int, solution: Float32, origin: Float32, slot: int, kept: Float32, moved: Float32
) -> None:
    """Keep the new half of the solution, and its change from `origin`, in row `slot`."""
    size = np.uint64(len(origin))
    for s in range(np.uint64(lo), np.uint64(hi)):
        value = solution[s + size]
        kept[slot, s] = value
        moved[slot, s] = value - origin[s]


@reassociated
def _products(
    lo: int, hi: int, moved: Float32, count: int, latest: int, unit: float, block: int,
    sums: Float64,
) -> None:  # fmt: skip
    """Write a block's upper products of the first `count` changes, weighted by the latest squared.

    `unit` is a float32, 1 / the largest change: products of four must not underflow.
    """
    left = np.empty(STRIP, np.float32)
    # Loops and plain indices, not slices: numba compiles much for what can go wrong with slices.
    for m in range(count):
        for n in range(count):
            sums[block, m, n] = 0.0
    for first in range(lo, hi, STRIP):
        start, length = np.uint64(first), np.uint64(min(STRIP, hi - first))
        for m in range(count):
            for s in range(length):
                weight = moved[latest, start + s] * unit
                left[s] = weight * weight * (moved[m, start + s] * unit) * unit
            for n in range(m, count):
                total = np.float32(0.0)
                for s in range(length):
                    total += left[s] * moved[n, start + s]
                sums[block, m, n] += np.float64(total)


@kernel
def shares_of(sums: Float64, count: int, latest: int) -> Float64:
    """Return the [M] shares of least mixed change: G x = 1, scaled so that they add up to 1.

    G is the sum of the upper products [blocks, M, M]. The latest is taken alone where there is no
    such mixture.
    """
    shares, system = np.zeros(count), np.ones((count, count + 1))
    shares[latest] = 1.0
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
        return shares
    for m in range(count):
        system[m, m] += RIDGE * trace
    # Gauss without pivots: the matrix is symmetric and positive definite.
    for m in range(count):
        for below in range(m + 1, count):
            factor = system[below, m] / system[m, m]
            for n in range(m, count + 1):
                system[below, n] -= factor * system[m, n]
    # The solution takes the place of the right-hand side.
    whole = 0.0
    for m in range(count - 1, -1, -1):
        for n in range(m + 1, count):
            system[m, count] -= system[m, n] * system[n, count]
        system[m, count] /= system[m, m]
        whole += system[m, count]
    if abs(whole) < np.inf and whole != 0.0:
        for m in range(count):
            shares[m] = system[m, count] / whole
    return shares


@kernel
def _combine(
    lo: int, hi: int, shares: Float64, count: int, latest: int, kept: Float32, place: Int32,
    solution: Float32, origin: Float32,
) -> None:  # fmt: skip
    """Set both halves of the solution, and `origin`, to the mixture of kept vectors [M, N].

    As the latest plus shares of differences: shares may be large, and differences are small.
    """
    size, mixed = np.uint64(len(origin)), np.empty(STRIP, np.float32)
    for first in range(lo, hi, STRIP):
        start, length = np.uint64(first), np.uint64(min(STRIP, hi - first))
        for s in range(length):
            mixed[s] = kept[latest, start + s]
        for m in range(count):
            share = np.float32(shares[m])
            if m != latest:
                for s in range(length):
                    mixed[s] += share * (kept[m, start + s] - kept[latest, start + s])
        for s in range(length):
            origin[start + s] = mixed[s]
            solution[size + start + s] = mixed[s]
        publish(first, min(first + STRIP, hi), place, solution)


@kernel
def mix(
    worker: int, workers: int, state: SweepState, place: Int32, solution: Float32,
    memory: AndersonMemory, stored: int, unit: float,
) -> bool:  # fmt: skip
    """Replace the solution [2N] by the best mixture; false if the sweep was abandoned.

    `stored` results were stored before. `unit` is as of `_products`.
    """
    _, origin, kept, moved, sums = memory
    edges, slot, count = state.edges, stored % len(kept), min(stored + 1, len(kept))
    for block in range(worker, len(edges) - 1, workers):
        lo, hi = edges[block], edges[block + 1]
        _remember(lo, hi, solution, origin, slot, kept, moved)
        _products(lo, hi, moved, count, slot, unit, block, sums)
    if not wait_for_all(state.counters, workers):
        return False
    shares = shares_of(sums, count, slot)
    for block in range(worker, len(edges) - 1, workers):
        lo, hi = edges[block], edges[block + 1]
        _combine(lo, hi, shares, count, slot, kept, place, solution, origin)
    return bool(wait_for_all(state.counters, workers))
