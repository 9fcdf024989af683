"""Threads that sweep together, each over its own blocks of states.

A member writes what it found for its own blocks, and the others see it when all have met. So
the bits depend on the blocks only, not on who works on them or when.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from ..arrays import Bool, Float32, Float64, Int64
from .cpu import kernel
from .meeting import meet

any_order = numba.njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"nnan", "nsz", "reassoc"}
)
"""For a maximum, whose result does not depend on the order."""
PROGRESS = 6
"""Numbers that a kernel may keep from one call to the next."""
GROUP = 64
"""States that are swept or left alone together; a group of all states belongs to one part of one
block. Not so one of junctions, of which none is left alone."""


class Team(NamedTuple):
    """What the members know of each other.

    Attributes:
        counters: of `meeting.meet`.
        edges: [blocks + 1] int64, the blocks of states.
        parts: in how many parts a block is swept.
        changes: [blocks] float64, largest change of the last sweep.
        peaks: [blocks] float64, largest correction.
        progress: [PROGRESS] float64, from one call to the next.
        moves: [groups] float32, largest change of every group in the first sweeps.
        awake: [groups] bool, which are swept.
    """

    counters: Int64
    edges: Int64
    parts: int
    changes: Float64
    peaks: Float64
    progress: Float64
    moves: Float32
    awake: Bool


@kernel
def piece(team: Team, block: int, part: int) -> tuple[int, int]:
    """Return the first state of a part of a block, and one past its last.

    Parts are equal, and counted from the end: states are visited from the last to the first.
    """
    lo, hi, left = team.edges[block], team.edges[block + 1], team.parts - part
    begin = lo + (hi - lo) * (left - 1) // team.parts // GROUP * GROUP
    end = lo + (hi - lo) * left // team.parts // GROUP * GROUP
    return begin, hi if part == 0 else end


@kernel
def last_run(lo: int, hi: int, awake: Bool) -> tuple[int, int]:
    """Return where the last states of lo..hi that are awake begin and end; lo, lo if none are."""
    end = hi
    while end > lo and not awake[(end - 1) // GROUP]:
        end = max(lo, (end - 1) // GROUP * GROUP)
    begin = end
    while begin > lo and awake[(begin - 1) // GROUP]:
        begin = max(lo, (begin - 1) // GROUP * GROUP)
    return begin, end


@kernel
def note(team: Team, block: int, part: int, change: float) -> None:
    """Write down the largest change of a block, part after part."""
    team.changes[block] = change if part == 0 else max(team.changes[block], change)


@any_order
def _publish(lo: int, hi: int, correction: Float32) -> float:
    """Copy a part's second half to the first; return its largest absolute value."""
    size = len(correction) // 2
    largest = np.float32(0.0)
    for s in range(lo, hi):
        value = correction[s + size]
        correction[s] = value
        largest = max(largest, abs(value))
    return np.float64(largest)


@kernel
def exchange(member: int, members: int, team: Team, part: int, correction: Float32) -> bool:
    """Meet after a part of all blocks, and let the others see what this member found.

    What is in the second half of the correction is copied to the first, where the others
    read it. So a value is never a whole sweep old. States that are not awake have not changed.
    False if the team was abandoned.
    """
    if not meet(team.counters, members):
        return False
    for block in range(member, len(team.edges) - 1, members):
        lo, hi = piece(team, block, part)
        peak = 0.0 if part == 0 else team.peaks[block]
        while hi > lo:
            begin, end = last_run(lo, hi, team.awake)
            peak = max(peak, _publish(begin, end, correction))
            hi = begin
        team.peaks[block] = peak
    return bool(meet(team.counters, members))
