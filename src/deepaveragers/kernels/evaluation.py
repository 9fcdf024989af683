"""Evaluating a policy: sweeps over its rows and mixtures of them, by threads that meet here.

What the members of the team decide by (the largest change, the shares of a mixture) each
computes for itself from what every block wrote down, so all decide alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Float32, Float64, Int32
from .cpu import Lanes, kernel, relax
from .meeting import meet
from .mixing import STRIP, combine, products, remember, shares_of
from .team import GROUP, Team, exchange, last_run, note, piece

RESTART = 3.0
"""Growth of the change after which earlier sweeps are forgotten."""
PATIENCE = 50
"""Mixtures without progress after which the rest is left to the next linearisation."""
FLOAT32_NOISE = 4e-7
OPENING = 2
"""Sweeps over all states, which tell the groups that may be left alone."""
STORED, MADE, LAST, BEST, WAITED, DONE = range(6)
"""Places in a `Team`'s `progress`."""


class Rows(NamedTuple):
    """The linear system e = residual + weight e[successors] of a policy; see `cpu.relax`.

    Attributes:
        successors: [N, W] int32.
        weight: [N, W] float32.
        residual: [N] float32.
        correction: [2N] float32, e.
    """

    successors: Int32
    weight: Float32
    residual: Float32
    correction: Float32


class Memory(NamedTuple):
    """The last M sweeps, to be mixed.

    Attributes:
        sweeps: how many are made before each mixture.
        origin: [N] float32, what the last mixture gave.
        kept: [M, N] float32, results of sweeps.
        moved: [M, N] float32, what they changed.
        sums: [blocks, M, M] float64, products of changes.
    """

    sweeps: int
    origin: Float32
    kept: Float32
    moved: Float32
    sums: Float64


@kernel
def _relax_awake(
    lo: int, hi: int, team: Team, lanes: Lanes, rows: Rows, opening: bool
) -> float:  # fmt: skip
    """Sweep over the states of lo..hi that are awake; write down their moves while opening."""
    largest = 0.0
    while hi > lo:
        if opening:
            begin, end = max(lo, (hi - 1) // GROUP * GROUP), hi
        else:
            begin, end = last_run(lo, hi, team.awake)
        change = relax(
            begin, end, lanes, rows.successors, rows.weight, rows.residual, rows.correction
        )
        if opening:
            team.moves[begin // GROUP] = max(team.moves[begin // GROUP], np.float32(change))
        largest = max(largest, change)
        hi = begin
    return largest


@kernel
def _sweep(
    member: int, members: int, team: Team, lanes: Lanes, rows: Rows, opening: bool
) -> bool:  # fmt: skip
    """Sweep part by part over all blocks."""
    for part in range(team.parts):
        for block in range(member, len(team.edges) - 1, members):
            lo, hi = piece(team, block, part)
            note(team, block, part, _relax_awake(lo, hi, team, lanes, rows, opening))
        if not exchange(member, members, team, part, rows.correction):
            return False
    return True


@kernel
def _leave_alone(member: int, members: int, team: Team, quiet: float) -> None:
    """Put the groups to rest that the opening sweeps changed by less than this."""
    for block in range(member, len(team.edges) - 1, members):
        lo, hi = team.edges[block] // GROUP, (team.edges[block + 1] - 1) // GROUP + 1
        for group in range(lo, hi):
            team.awake[group] = team.moves[group] >= quiet


@kernel
def _mix(
    member: int, members: int, team: Team, rows: Rows, memory: Memory, stored: int,
    unit: float, left: Float32, shares: Float32,
) -> bool:  # fmt: skip
    """Replace the correction by the best mixture of the sweeps kept so far."""
    edges = team.edges
    slot = stored % len(memory.kept)
    count = min(stored + 1, len(memory.kept))
    for block in range(member, len(edges) - 1, members):
        lo, hi = edges[block], edges[block + 1]
        memory.sums[block] = 0.0
        while hi > lo:
            begin, end = last_run(lo, hi, team.awake)
            remember(
                begin, end, rows.correction, memory.origin, memory.kept[slot], memory.moved[slot]
            )
            products(begin, end, memory.moved[:count], slot, unit, left, memory.sums[block])
            hi = begin
    if not meet(team.counters, members):
        return False
    shares_of(memory.sums, count, slot, shares)
    for block in range(member, len(edges) - 1, members):
        lo, hi = edges[block], edges[block + 1]
        while hi > lo:
            begin, end = last_run(lo, hi, team.awake)
            combine(begin, end, shares, slot, memory.kept[:count], rows.correction, memory.origin)
            hi = begin
    return meet(team.counters, members)


@kernel
def settle(
    member: int, members: int, team: Team, lanes: Lanes, rows: Rows, memory: Memory,
    rounds: int, target: float, quiet: float,
) -> None:  # fmt: skip
    """Improve the correction until a sweep changes it by at most the target.

    Args:
        member: which of the team calls.
        members: how many do, each once.
        team: what they share.
        lanes: as long as W, or empty for any W.
        rows: the system.
        memory: of earlier sweeps.
        rounds: sweeps and mixtures to make at most before returning.
        target: change of a sweep to stop at.
        quiet: groups of states that the first sweeps change by less are left alone from then on.
    """
    progress = team.progress
    stored, sweeps = int(progress[STORED]), progress[MADE]
    last, best, waited = progress[LAST], progress[BEST], progress[WAITED]
    done = 0.0
    left, shares = np.empty(STRIP, np.float32), np.empty(len(memory.kept), np.float32)
    if sweeps == 0.0:
        for block in range(member, len(team.edges) - 1, members):
            for s in range(team.edges[block], team.edges[block + 1]):
                memory.origin[s] = rows.correction[s + len(memory.origin)]
    for _ in range(rounds):
        for step in range(memory.sweeps):
            made = sweeps + step
            if not _sweep(member, members, team, lanes, rows, made < OPENING):
                return
            if made + 1 == OPENING:
                _leave_alone(member, members, team, quiet)
        sweeps += memory.sweeps
        change, peak = team.changes.max(), team.peaks.max()
        waited = 0.0 if change < 0.9 * best else waited + 1.0
        best = min(best, change)
        if change <= max(target, FLOAT32_NOISE * peak) or waited >= PATIENCE:
            done = 1.0
            break
        if change > RESTART * last:
            stored = 0
        last = change
        unit = np.float32(1.0 / change)
        if not _mix(member, members, team, rows, memory, stored, unit, left, shares):
            return
        stored += 1
    # Nobody may still be reading `progress` when it is written.
    if meet(team.counters, members) and member == 0:
        progress[STORED], progress[MADE], progress[LAST] = stored, sweeps, last
        progress[BEST], progress[WAITED], progress[DONE] = best, waited, done
