"""Path elimination: leaving out the states that paths merely pass through.

State elimination (Sonin; a Schur complement), but approximate: small weights count as the main one.

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
from ..jit import fused
from .policy_system import PolicySystem
from .static_width import StaticWidth
from .sweep_state import states_at

MOST_ON_ITSELF = 1.0 - 1e-6
"""Weight on itself up to which a kept state is solved for: float32 cannot tell what more leaves."""


class Paths(NamedTuple):
    """How all states depend on kept ones: y(s) = offset + factor y(head).

    Attributes:
        offset: [N] float32.
        factor: [N] float32; 0 where the value is known.
        head: [N] int32, a kept state; a state is kept if that is itself, and its factor is not 0.
    """

    offset: Float32
    factor: Float32
    head: Int32


@fused
def find_paths(
    lo: int, hi: int, static: StaticWidth, main_share: float, system: PolicySystem, paths: Paths
) -> None:
    """Tell kept states of a block from those passed through.

    `main_share` is the share of a row's weights from which on its state is passed through. A main
    successor is in the same part of the block and visited before its state, so there is no cycle.
    """
    index, weight, constants, solution, _ = system
    offset, factor, head = paths
    size, any_width = index.shape
    width = len(static) if len(static) > 0 else any_width
    for step in range(hi - lo):
        s = hi - 1 - step
        total = np.float32(0.0)
        defect = np.float64(constants[s]) - np.float64(solution[s + size])
        for j in range(width):
            total += weight[s, j]
            defect += np.float64(weight[s, j]) * np.float64(solution[np.uint32(index[s, j])])
        t = index[s, 0] - size
        if s < t < hi and weight[s, 0] >= np.float32(main_share) * total:
            offset[s] = defect + total * offset[t]
            factor[s], head[s] = total * factor[t], head[t]
        elif total == np.float32(0.0):
            offset[s], factor[s], head[s] = defect, 0.0, s
        else:
            offset[s], factor[s], head[s] = 0.0, 1.0, s


def reduced_system(kept: Int64, system: PolicySystem, paths: Paths) -> PolicySystem:
    """Return the system of the kept states [M], ascending, in terms of kept states."""
    size, count = len(system.constant), len(kept)
    rank = np.zeros(size, np.int32)
    rank[kept] = np.arange(count)
    index, weight = system.successors[kept], system.weight[kept]
    defect = (weight * system.solution[index].astype(np.float64)).sum(axis=1)
    defect += system.constant[kept] - system.solution[kept + size].astype(np.float64)
    states = states_at(system.place, size)[index]
    constant = defect + (weight * paths.offset[states]).sum(axis=1)
    weight *= paths.factor[states]
    successors = rank[paths.head[states]] + np.where(index < size, 0, count)
    own = successors == np.arange(count, 2 * count)[:, None]
    itself = np.where(own, weight, 0.0).sum(axis=1)
    solved = itself < MOST_ON_ITSELF
    weight[own & solved[:, None]] = 0.0
    grown = 1.0 / (1.0 - np.where(solved, itself, 0.0))
    return PolicySystem(
        successors=successors.astype(np.int32),
        weight=(weight * grown[:, None]).astype(np.float32),
        constant=(constant * grown).astype(np.float32),
        solution=np.zeros(2 * count, np.float32),
    )
