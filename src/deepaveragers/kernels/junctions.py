"""Leaving out the states that paths merely pass through.

Where neighbours count by distance, a state that takes the action it was logged with leads almost
surely to the state that followed: its nearest transition is its own, at distance 0. Such a
state is a *link*, and all others are *junctions*. Let x be what the values e still lack. With d
the defect of the rows at hand, t a link's main successor and w the sum of its weights,

    d(s) = residual(s) + sum_j w_j e(j) - e(s),    x(s) = d(s) + w x(t) + sum_j w_j (x(j) - x(t)).

That last sum is left out: its weights are small, and so are differences between neighbours,
mostly. It shows in a sweep over all states, by which `solvers.correction` judges what was found.
Links in a row are one equation again, x(s) = constant + factor x(head) with a junction as head,
so that the rows of junctions can be written in terms of junctions alone.

Fewer rows are quicker to sweep over, but that is not all. A path that returns to the junction
it came from becomes a weight of that junction on itself, and is solved for at once: sweeps alone
take longest for such cycles, hundreds where gamma is near 1. And x is small where e is large, so
that float32 resolves it better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Float32, Int32, Int64
from .cpu import Lanes, fused, kernel
from .evaluation import Rows
from .meeting import meet
from .team import Team

MAIN = np.float32(0.99)
"""Share of its weights that a link's main successor has at least."""
MOST_ON_ITSELF = np.float32(1.0 - 1e-6)
"""Float32 cannot tell how much is left where a junction leads to itself with more."""
CONSTANT, FACTOR, HEAD, COLUMNS = 0, 1, 2, 4


class Links(NamedTuple):
    """How all states depend on junctions: x(s) = constant + factor x(head).

    Attributes:
        terms: [N, 4] float32: constant, factor (0 where the value is known), head, nothing.
        bits: [N, 4] int32, the same memory: there the head is a place among the junctions.
        junctions: [N] int32, those of every block from the block's first place on, last first.
        counts: [blocks] int64, how many these are.
    """

    terms: Float32
    bits: Int32
    junctions: Int32
    counts: Int64


@fused
def _defect(s: int, width: int, rows: Rows) -> float:
    """Return what a backup adds to the value of a state."""
    index, weight, residual, values = rows
    total = np.float64(residual[s]) - np.float64(values[s + len(residual)])
    for j in range(width):
        total += np.float64(weight[s, j]) * np.float64(values[np.uint32(index[s, j])])
    return total


@fused
def _link(lo: int, hi: int, lanes: Lanes, rows: Rows, links: Links) -> int:
    """Tell the links of a block from its junctions; heads are counted from the block's end.

    A link's main successor is in the block and visited before it, so there is no cycle of links.
    """
    index, weight = rows.successors, rows.weight
    terms, bits, junctions = links.terms, links.bits, links.junctions
    size, any_width = index.shape
    width = len(lanes) if len(lanes) > 0 else any_width
    count = 0
    for step in range(hi - lo):
        s = hi - 1 - step
        total = np.float32(0.0)
        for j in range(width):
            total += weight[s, j]
        t = index[s, 0] - size
        if s < t < hi and weight[s, 0] >= MAIN * total:
            terms[s, CONSTANT] = _defect(s, width, rows) + total * terms[t, CONSTANT]
            terms[s, FACTOR] = total * terms[t, FACTOR]
            bits[s, HEAD] = bits[t, HEAD]
        elif total == np.float32(0.0):
            terms[s, CONSTANT], terms[s, FACTOR] = _defect(s, width, rows), np.float32(0.0)
            bits[s, HEAD] = 0
        else:
            terms[s, CONSTANT], terms[s, FACTOR] = np.float32(0.0), np.float32(1.0)
            bits[s, HEAD] = count
            junctions[lo + count] = s
            count += 1
    return count


@kernel
def find_links(
    member: int, members: int, team: Team, lanes: Lanes, rows: Rows, links: Links
) -> None:  # fmt: skip
    """Tell links from junctions in all blocks, as a member of a team."""
    for block in range(member, len(team.edges) - 1, members):
        links.counts[block] = _link(team.edges[block], team.edges[block + 1], lanes, rows, links)


@fused
def _reduce_block(
    number: int, lo: int, last: int, lanes: Lanes, rows: Rows, links: Links, reduced: Rows
) -> None:  # fmt: skip
    """Write the rows of a block's junctions in terms of junctions."""
    index, weight = rows.successors, rows.weight
    new_index, new_weight, new_residual, lacking = reduced
    terms, bits, junctions = links.terms, links.bits, links.junctions
    (size, any_width), count = index.shape, len(new_residual)
    width = len(lanes) if len(lanes) > 0 else any_width
    for step in range(number):
        s, place = junctions[lo + step], last - step
        constant, itself = np.float32(_defect(s, width, rows)), np.float32(0.0)
        for j in range(width):
            i, part = index[s, j], weight[s, j]
            half = i >= size
            t = np.uint32(i - size * half)
            constant += part * terms[t, CONSTANT]
            part *= terms[t, FACTOR]
            there = bits[t, HEAD] + count * half
            itself += part if there == place + count else np.float32(0.0)
            new_index[place, j] = there
            new_weight[place, j] = part
        if np.float32(0.0) < itself < MOST_ON_ITSELF:
            grown = np.float32(1.0) / (np.float32(1.0) - itself)
            constant *= grown
            for j in range(width):
                alone = new_index[place, j] == place + count
                new_weight[place, j] *= np.float32(0.0) if alone else grown
        new_residual[place] = constant
        lacking[place] = 0.0
        lacking[place + count] = 0.0


@kernel
def reduce_rows(
    member: int, members: int, team: Team, lanes: Lanes, rows: Rows, links: Links, reduced: Rows
) -> None:  # fmt: skip
    """Write the system of the junctions, in their order, as a member of a team."""
    edges, counts, terms, bits = team.edges, links.counts, links.terms, links.bits
    for block in range(member, len(edges) - 1, members):
        last = counts[: block + 1].sum() - 1
        for s in range(edges[block], edges[block + 1]):
            bits[s, HEAD] = 0 if terms[s, FACTOR] == 0.0 else last - bits[s, HEAD]
    if not meet(team.counters, members):
        return
    for block in range(member, len(edges) - 1, members):
        last = counts[: block + 1].sum() - 1
        _reduce_block(counts[block], edges[block], last, lanes, rows, links, reduced)


@fused
def expand(lo: int, hi: int, links: Links, lacking: Float32, correction: Float32) -> None:
    """Add what the values [2N] of a block lack, given what those of the junctions do."""
    terms, bits = links.terms, links.bits
    size = len(terms)
    for s in range(lo, hi):
        value = terms[s, CONSTANT] + terms[s, FACTOR] * lacking[bits[s, HEAD]]
        correction[s + size] += value
        correction[s] = correction[s + size]
