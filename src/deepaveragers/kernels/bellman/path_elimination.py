"""Path elimination: leaving out the states that paths merely pass through.

Where neighbours count by distance, a state that takes the action it was logged with leads almost
surely to the state that followed: its nearest transition is its own, at distance 0. Such a state
is *passed through*; all others are *kept*. Let y be what the solution x still lacks. With d the
defect of the rows at hand, t the main successor of a state and w the sum of its weights,

    d(s) = constant(s) + sum_j w_j x(j) - x(s),    y(s) = d(s) + w y(t) + sum_j w_j (y(j) - y(t)).

That last sum is left out: its weights are small, and so are differences between neighbours,
mostly. It shows in a sweep over all states, by which `solvers.iteration.evaluation` judges what
was found. States passed through in a row are one equation again, y(s) = offset + factor y(head)
with a kept state as head, so that the rows of kept states can be written in terms of kept states.

Fewer rows are quicker to sweep over, but that is not all. A path that returns to the kept state
it came from becomes a weight of that state on itself, and is solved for at once: sweeps alone
take longest for such cycles, hundreds where gamma is near 1. And y is small where x is large, so
that float32 resolves it better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Float32, Int32, Int64
from ..jit import fused, kernel
from .barrier import wait_for_all
from .policy_system import PolicySystem, solve_for_itself
from .static_width import StaticWidth
from .sweep_state import SweepState

MOST_ON_ITSELF = np.float32(1.0 - 1e-6)
"""Weight on itself up to which a kept state is solved for: float32 cannot tell what more leaves."""
OFFSET, FACTOR, HEAD, COLUMNS = 0, 1, 2, 4


class Elimination(NamedTuple):
    """How all states depend on kept ones: y(s) = offset + factor y(head).

    Attributes:
        main_share: float32, share of a row's weights from which on its state is passed through.
        terms: [N, 4] float32: offset, factor (0 where the value is known), head, nothing.
        bits: [N, 4] int32, the same memory: there the head is a place among the kept states. All
            that is known of a state lies together, since it is read together and out of order.
        kept: [N] int32, those of every block from the block's first place on, last first.
        counts: [blocks] int64, how many these are.
    """

    main_share: float
    terms: Float32
    bits: Int32
    kept: Int32
    counts: Int64


@fused
def _defect(
    s: int, width: int, index: Int32, weight: Float32, constant: Float32, solution: Float32
) -> float:
    """Return what a backup adds to the value of a state."""
    total = np.float64(constant[s]) - np.float64(solution[s + len(constant)])
    for j in range(width):
        total += np.float64(weight[s, j]) * np.float64(solution[np.uint32(index[s, j])])
    return total


@fused
def find_paths(
    lo: int, hi: int, static: StaticWidth, system: PolicySystem, found: Elimination
) -> int:
    """Tell kept states of a block from those passed through; return how many are kept.

    Heads are counted from the block's end. A main successor is in the block and visited before its
    state, so there is no cycle.
    """
    index, weight, constants, solution = system
    terms, bits, kept = found.terms, found.bits, found.kept
    main_share = np.float32(found.main_share)
    size, any_width = index.shape
    width = len(static) if len(static) > 0 else any_width
    count = 0
    for step in range(hi - lo):
        s = hi - 1 - step
        total = np.float32(0.0)
        for j in range(width):
            total += weight[s, j]
        t = index[s, 0] - size
        if s < t < hi and weight[s, 0] >= main_share * total:
            defect = _defect(s, width, index, weight, constants, solution)
            terms[s, OFFSET] = defect + total * terms[t, OFFSET]
            terms[s, FACTOR] = total * terms[t, FACTOR]
            bits[s, HEAD] = bits[t, HEAD]
        elif total == np.float32(0.0):
            terms[s, OFFSET] = _defect(s, width, index, weight, constants, solution)
            terms[s, FACTOR], bits[s, HEAD] = 0.0, 0
        else:
            terms[s, OFFSET], terms[s, FACTOR] = np.float32(0.0), np.float32(1.0)
            bits[s, HEAD] = count
            kept[lo + count] = s
            count += 1
    return count


@fused
def _reduce_block(
    number: int, lo: int, last: int, static: StaticWidth, system: PolicySystem,
    found: Elimination, reduced: PolicySystem,
) -> None:  # fmt: skip
    """Write the rows of a block's kept states in terms of kept states."""
    index, weight, constants, solution = system
    new_index, new_weight, new_constant, lacking = reduced
    terms, bits, kept = found.terms, found.bits, found.kept
    (size, any_width), count = index.shape, len(new_constant)
    width = len(static) if len(static) > 0 else any_width
    for step in range(number):
        s, place = kept[lo + step], last - step
        constant = np.float32(_defect(s, width, index, weight, constants, solution))
        itself = np.float32(0.0)
        for j in range(width):
            i, part = index[s, j], weight[s, j]
            half = i >= size
            t = np.uint32(i - size * half)
            constant += part * terms[t, OFFSET]
            part *= terms[t, FACTOR]
            there = bits[t, HEAD] + count * half
            itself += part if there == place + count else np.float32(0.0)
            new_index[place, j] = there
            new_weight[place, j] = part
        new_constant[place] = constant
        if itself < MOST_ON_ITSELF:
            solve_for_itself(place, width, new_index, new_weight, new_constant)
        lacking[place] = 0.0
        lacking[place + count] = 0.0


@kernel
def reduce_system(
    worker: int, workers: int, state: SweepState, static: StaticWidth, system: PolicySystem,
    found: Elimination, reduced: PolicySystem,
) -> None:  # fmt: skip
    """Write the system of the kept states, in their order, as one of several workers."""
    edges, counts, terms, bits = state.edges, found.counts, found.terms, found.bits
    for block in range(worker, len(edges) - 1, workers):
        last = counts[: block + 1].sum() - 1
        for s in range(edges[block], edges[block + 1]):
            bits[s, HEAD] = 0 if terms[s, FACTOR] == 0.0 else last - bits[s, HEAD]
    if not wait_for_all(state.counters, workers):
        return
    for block in range(worker, len(edges) - 1, workers):
        last = counts[: block + 1].sum() - 1
        _reduce_block(counts[block], edges[block], last, static, system, found, reduced)


@fused
def expand_solution(
    lo: int, hi: int, found: Elimination, lacking: Float32, solution: Float32
) -> None:
    """Add what the solution [2N] of a block lacks, given what that of the kept states does."""
    terms, bits = found.terms, found.bits
    size = len(terms)
    for s in range(lo, hi):
        value = terms[s, OFFSET] + terms[s, FACTOR] * lacking[bits[s, HEAD]]
        solution[s + size] += value
        solution[s] = solution[s + size]
