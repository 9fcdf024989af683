"""Solving a policy's system: Gauss-Seidel sweeps with Anderson acceleration, by several workers.

What the workers decide by (the largest change, the shares of a mixture) each computes for
itself from what every block wrote down, so all decide alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Float64
from ..jit import kernel
from .anderson import AndersonMemory, mix
from .barrier import wait_for_all
from .policy_system import PolicySystem, sweep
from .static_width import StaticWidth
from .sweep_state import (
    BEST,
    DONE,
    MADE,
    STORED,
    WAITED,
    SweepState,
    exchange,
    part_of,
    record_change,
)


class Stopping(NamedTuple):
    """When to stop.

    Attributes:
        rounds: rounds of sweeps and a mixture to make at most before returning.
        target: change of a sweep to stop at.
        progress_ratio: a change is progress if it is below this multiple of the smallest before.
        patience: rounds without progress after which the rest is left undone.
        noise: changes by this share of the largest value are rounding.
    """

    rounds: int
    target: float
    progress_ratio: float
    patience: int
    noise: float


@kernel
def _largest(numbers: Float64) -> float:
    """Return the largest of numbers that are at least 0; NaN counts as none."""
    largest = 0.0
    for number in numbers:
        largest = max(largest, number)
    return largest


@kernel
def _sweep_all(
    worker: int, workers: int, state: SweepState, static: StaticWidth, system: PolicySystem
) -> bool:
    """Sweep part by part over all blocks."""
    for part in range(state.parts):
        for block in range(worker, len(state.edges) - 1, workers):
            lo, hi = part_of(state, block, part)
            record_change(state, block, part, sweep(lo, hi, static, system))
        if not exchange(worker, workers, state, part, system.place, system.solution):
            return False
    return True


@kernel
def solve_system(
    worker: int, workers: int, state: SweepState, static: StaticWidth, system: PolicySystem,
    memory: AndersonMemory, stopping: Stopping,
) -> None:  # fmt: skip
    """Improve the solution until a sweep changes it by at most the target, as one of the workers.

    `static` is as long as W, or empty for any W.
    """
    progress = state.progress
    stored, made, done = int(progress[STORED]), progress[MADE], 0.0
    best, waited = progress[BEST], progress[WAITED]
    if made == 0.0:
        for block in range(worker, len(state.edges) - 1, workers):
            for s in range(state.edges[block], state.edges[block + 1]):
                memory.origin[s] = system.solution[s + len(memory.origin)]
    for _ in range(stopping.rounds):
        for _ in range(memory.sweeps):
            if not _sweep_all(worker, workers, state, static, system):
                return
        made += memory.sweeps
        change, peak = _largest(state.changes), _largest(state.peaks)
        waited = 0.0 if change < stopping.progress_ratio * best else waited + 1.0
        best = min(best, change)
        if change <= max(stopping.target, stopping.noise * peak) or waited >= stopping.patience:
            done = 1.0
            break
        unit = np.float32(1.0 / change)
        if not mix(worker, workers, state, system.place, system.solution, memory, stored, unit):
            return
        stored += 1
    # Nobody may still be reading `progress` when it is written.
    if wait_for_all(state.counters, workers) and worker == 0:
        progress[STORED], progress[MADE], progress[DONE] = stored, made, done
        progress[BEST], progress[WAITED] = best, waited
