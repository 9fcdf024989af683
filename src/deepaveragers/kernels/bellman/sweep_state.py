"""What the workers of a sweep share: each sweeps its own blocks of states.

A block is swept in parts. Values are a vector of length 2N: what all know (first half), and what
was found in the present part (second half). A sweep reads states of its own part from the second
half, which is Gauss-Seidel, and all others from the first. After each part there is a barrier, and
the new values are copied to the first half. So the bits depend on the blocks only, not on who works
on them or when; and nearly all reads are of N numbers, not 2N, which stay in the cache longer.

States are counted by position here, and so stands the second half. In the first, the value of state
s stands at place[s], together with those that are read together (`state_order.place_values`). Where
`place` is empty, it stands at s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Float32, Float64, Int32, Int64
from ..jit import kernel, unordered
from .barrier import wait_for_all

STORED, MADE, BEST, WAITED, DONE = range(5)
"""Places in `progress`: results stored for Anderson, sweeps made, the smallest change, rounds
without progress, whether the system is solved or given up."""
PROGRESS = 5


class SweepState(NamedTuple):
    """What the workers know of each other.

    Attributes:
        counters: of `barrier.wait_for_all`.
        edges: [blocks + 1] int64, the blocks of states.
        parts: in how many parts a block is swept.
        changes: [blocks] float64, largest change of the last sweep.
        peaks: [blocks] float64, largest absolute value.
        progress: [PROGRESS] float64, from one call to the next.
    """

    counters: Int64
    edges: Int64
    parts: int
    changes: Float64
    peaks: Float64
    progress: Float64


@kernel
def part_of(state: SweepState, block: int, part: int) -> tuple[int, int]:
    """Return the first state of a part of a block, and one past its last.

    Parts are equal, and counted from the end: states are visited from the last to the first.
    """
    lo, hi, left = state.edges[block], state.edges[block + 1], state.parts - part
    return lo + (hi - lo) * (left - 1) // state.parts, lo + (hi - lo) * left // state.parts


@kernel
def record_change(state: SweepState, block: int, part: int, change: float) -> None:
    """Write down the largest change of a block, part after part."""
    state.changes[block] = change if part == 0 else max(state.changes[block], change)


@unordered
def publish(lo: int, hi: int, place: Int32, values: Float32) -> float:
    """Copy the second half of states lo..hi to the first; return their largest absolute value."""
    size, placed = np.uint64(len(values) // 2), len(place) > 0
    largest = np.float32(0.0)
    for s in range(np.uint64(lo), np.uint64(hi)):
        value = values[s + size]
        values[np.uint64(place[s]) if placed else s] = value
        largest = max(largest, abs(value))
    return np.float64(largest)


@kernel
def exchange(
    worker: int, workers: int, state: SweepState, part: int, place: Int32, values: Float32
) -> bool:
    """Let the others see what this worker found in a part of its blocks.

    What is in the second half of the values [2N] is copied to the first, where the others read
    it. So a value is never a whole sweep old. False if the sweep was abandoned.
    """
    if not wait_for_all(state.counters, workers):
        return False
    for block in range(worker, len(state.edges) - 1, workers):
        lo, hi = part_of(state, block, part)
        peak = 0.0 if part == 0 else state.peaks[block]
        state.peaks[block] = max(peak, publish(lo, hi, place, values))
    return bool(wait_for_all(state.counters, workers))


def set_both_halves(values: Float32, place: Int32, found: Array) -> None:
    """Set values [2N] to what was found [N], by position."""
    size = len(found)
    values[size:] = found
    values[place if len(place) else slice(0, size)] = values[size:]


def states_at(place: Int32, size: int) -> Int32:
    """Return [2N] int32, the state whose value stands at each place."""
    states = np.arange(size, dtype=np.int32)
    both = np.concatenate([states, states])
    if len(place):
        both[place] = states
    return both
