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
from .team import Team, exchange, note, piece

RESTART = 3.0
"""Growth of the change after which earlier sweeps are forgotten."""
PATIENCE = 50
"""Mixtures without progress after which the rest is left to the next linearisation."""
FLOAT32_NOISE = 4e-7
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
def _sweep(member: int, members: int, team: Team, lanes: Lanes, rows: Rows) -> bool:
    """Sweep part by part over all blocks."""
    for part in range(team.parts):
        for block in range(member, len(team.edges) - 1, members):
            lo, hi = piece(team, block, part)
            change = relax(
                lo, hi, lanes, rows.successors, rows.weight, rows.residual, rows.correction
            )
            note(team, block, part, change)
        if not exchange(member, members, team, part, rows.correction):
            return False
    return True


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
        remember(lo, hi, rows.correction, memory.origin, memory.kept[slot], memory.moved[slot])
        products(lo, hi, memory.moved[:count], slot, unit, left, memory.sums[block])
    if not meet(team.counters, members):
        return False
    shares_of(memory.sums, count, slot, shares)
    for block in range(member, len(edges) - 1, members):
        combine(
            edges[block], edges[block + 1],
            shares, memory.kept[:count], rows.correction, memory.origin,
        )  # fmt: skip
    return meet(team.counters, members)


@kernel
def settle(
    member: int, members: int, team: Team, lanes: Lanes, rows: Rows, memory: Memory,
    rounds: int, target: float,
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
        for _ in range(memory.sweeps):
            if not _sweep(member, members, team, lanes, rows):
                return
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
