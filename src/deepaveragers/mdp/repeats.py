"""Equal states after which different things happened: chance outcomes, estimated by k cases.

Where a log has few distinct states, the k neighbours of a state are equal to it, and which of its
many equals they are is decided by their order alone. Their outcomes are then k draws of the same
chance. A plan takes the action whose draws were lucky: with k = 5 it earned .17 on FrozenLake,
10,000 random steps, and .70 with k = 20, near the optimum of .74 (`da.compile(data, k).solve()`,
seeds 0 and 1).
"""

from __future__ import annotations

import warnings

import numpy as np

from ..arrays import Bool, Floats
from ..errors import DataWarning
from ..neighbors.graph import NeighborGraph

ENOUGH = 20
"""Cases from which chance is estimated well enough to say nothing."""
MOSTLY = 0.5
"""Share of states and actions all of whose neighbours are equal to the state."""
NOTICEABLE = 0.1
"""Share of those whose equal cases did not go on alike."""
FEWEST = 100
"""States, below which there is nothing to say: every log is thin at first."""
SAMPLE = 2_000
"""States that are looked at."""


def chance_share(graph: NeighborGraph, core: Floats, rewards: Floats, ended: Bool) -> float:
    """Return the share of states and actions whose equal cases went on differently.

    It is 0 unless most states and actions have k equal cases. K is the graph's.
    """
    living = np.flatnonzero(~ended)
    picked = np.unique(np.linspace(0, len(living) - 1, SAMPLE).astype(np.int64))
    rows = living[picked[: len(living)]]
    equal = graph.distances[rows][:, :, -1] == 0.0
    if equal.size == 0 or equal.mean() < MOSTLY:
        return 0.0
    cases = graph.indices[rows][equal]
    first = cases[:, :1]
    differ = (rewards[cases] != rewards[first]) | (ended[cases] != ended[first])
    differ |= (core[cases] != core[first]).any(axis=2)
    return float(differ.any(axis=1).mean())


def warn_of_chance(
    graph: NeighborGraph, core: Floats, rewards: Floats, ended: Bool, *, stacklevel: int
) -> None:
    """Say if a plan would rest on the luck of few cases."""
    if graph.k >= ENOUGH or len(core) < FEWEST:
        return
    share = chance_share(graph, core, rewards, ended)
    if share > NOTICEABLE:
        warnings.warn(
            f"States repeat exactly, and the same action in the same state went on differently in "
            f"{share:.0%} of them: k={graph.k} neighbours are {graph.k} draws of that chance, and "
            f"a plan leans on lucky ones. Compile with a larger k, such as k={ENOUGH}, or let "
            "fit choose.",
            DataWarning,
            stacklevel=stacklevel,
        )
