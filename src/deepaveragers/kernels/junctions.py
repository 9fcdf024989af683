"""Leaving out the states that paths merely pass through.

Where neighbours count by distance, a state that takes the action it was logged with leads almost
surely to the state that followed: its nearest transition is its own, at distance 0. Such a
state is a *link*, and all others are *junctions*. With t a link's main successor, w the sum of
its weights, and r its residual with what the others add,

    e(s) = r(s) + w e(t),    r(s) = residual(s) + sum_j w_j (e(j) - e(t)).

That sum is taken from the e at hand: its weights are small, and so are differences between
neighbours. What it lacks shows in the next sweep over all states, as everything does that an
evaluation leaves undone. Links in a row are one equation again, e(s) = constant + factor e(head)
with a junction as head, so that rows of junctions can be written in terms of junctions alone.

Fewer rows are quicker to sweep over, but that is not all: a path that returns to the junction
it came from becomes a weight of that junction on itself, and is solved for at once. Sweeps alone
take longest for such cycles: hundreds, where gamma is near 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Float32, Int32, Int64
from .cpu import Lanes, kernel
from .evaluation import Rows
from .meeting import meet
from .team import Team

MAIN = np.float32(0.99)
"""Share of its weights that a link's main successor has at least."""
MOST_ON_ITSELF = np.float32(1.0 - 1e-6)
"""Float32 cannot tell how much is left where a junction leads to itself with more."""
CONSTANT, FACTOR, HEAD, COLUMNS = 0, 1, 2, 4


class Links(NamedTuple):
    """How all states depend on junctions: e(s) = constant + factor e(head).

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


@kernel
def _link(lo: int, hi: int, lanes: Lanes, rows: Rows, links: Links) -> int:
    """Tell the links of a block from its junctions; heads are counted from the block's end.

    A link's main successor is in the block and visited before it, so there is no cycle of links.
    """
    index, weight, residual, values = rows
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
        if t > s and weight[s, 0] >= MAIN * total:
            ahead, gathered = values[t + size], residual[s]
            for j in range(1, width):
                gathered += weight[s, j] * (values[np.uint32(index[s, j])] - ahead)
            terms[s, CONSTANT] = gathered + total * terms[t, CONSTANT]
            terms[s, FACTOR] = total * terms[t, FACTOR]
            bits[s, HEAD] = bits[t, HEAD]
        elif total == np.float32(0.0):
            terms[s, CONSTANT], terms[s, FACTOR] = residual[s], np.float32(0.0)
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


@kernel
def _reduce_block(
    number: int, lo: int, last: int, lanes: Lanes, rows: Rows, links: Links, reduced: Rows
) -> None:  # fmt: skip
    """Write the rows of a block's junctions in terms of junctions."""
    index, weight, residual, values = rows
    new_index, new_weight, new_residual, new_values = reduced
    terms, bits, junctions = links.terms, links.bits, links.junctions
    (size, any_width), count = index.shape, len(new_residual)
    width = len(lanes) if len(lanes) > 0 else any_width
    for step in range(number):
        s, place = junctions[lo + step], last - step
        constant, itself = residual[s], np.float32(0.0)
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
        new_values[place] = values[s + size]
        new_values[place + count] = values[s + size]


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


@kernel
def expand(lo: int, hi: int, links: Links, found: Float32, correction: Float32) -> None:
    """Write both halves of the correction [2N] of a block from that of the junctions."""
    terms, bits = links.terms, links.bits
    size = len(terms)
    for s in range(lo, hi):
        value = terms[s, CONSTANT] + terms[s, FACTOR] * found[bits[s, HEAD]]
        correction[s] = value
        correction[s + size] = value
