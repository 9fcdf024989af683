"""Values that lean on jumps from one logged state to another.

A neighbour is a jump: the plan goes on from there as if it had never been elsewhere. Where
neighbours are nearer than one step leads, jumps are small against what actions do. Where they
are farther, a plan can gather better states for nothing, and its values say little of the world.
Median neighbour distance / median length of a step was 0.2 to 0.5 on tasks where plans kept what
they promised, and 1.8 to 2.6 where they did not (docs/representations.md).
"""

from __future__ import annotations

import warnings

import numpy as np

from ..arrays import Bool, Floats
from ..errors import DataWarning
from ..neighbors.graph import NeighborGraph

FARTHEST = 1.0
"""Lengths of a step that a neighbour may be away before we say so."""
FEWEST = 100
"""States, below which there is nothing to say: every log is thin at first."""
SAMPLE = 10_000
"""States that are looked at."""


def jump_ratio(graph: NeighborGraph, source: Floats, core: Floats, ended: Bool) -> float:
    """Return median neighbour distance / median length of a step; 0 where no step goes on."""
    living = np.flatnonzero(~ended)
    rows = living[
        np.unique(np.linspace(0, len(living) - 1, SAMPLE).astype(np.int64))[: len(living)]
    ]
    if len(rows) == 0:
        return 0.0
    moved = np.asarray(core[rows], dtype=np.float64) - source[rows]
    step = float(np.median(np.linalg.norm(moved, axis=1)))
    gaps = graph.jumps[rows]
    gap = float(np.median(gaps[np.isfinite(gaps)]))
    return gap / step if step > 0.0 else 0.0


def jumps_known(graph: NeighborGraph, source: Floats, core: Floats, ended: Bool) -> float:
    """Return `jump_ratio`; 0 of a log that is too small to say so."""
    return jump_ratio(graph, source, core, ended) if len(core) >= FEWEST else 0.0


def jumps_in_words(ratio: float) -> str:
    """Return a sentence about a ratio, "" where nothing is known."""
    if ratio > FARTHEST:
        return (
            f"Similar cases lie {ratio:.1f} times as far away as one step leads: "
            "the plan leans on jumps between states, and may promise what the world does not keep."
        )
    if ratio > 0.0:
        return f"Similar cases lie {ratio:.2f} of a step's length away (under 1 is sound)."
    return ""


def warn_of_jumps(
    graph: NeighborGraph, source: Floats, core: Floats, ended: Bool, *, stacklevel: int
) -> None:
    """Say if neighbours lie farther away than one step leads."""
    ratio = jumps_known(graph, source, core, ended)
    if ratio > FARTHEST:
        warnings.warn(
            f"Neighbours lie {ratio:.1f} times as far away as one step leads: values lean on jumps "
            "between states, and a plan may promise what the world does not keep. Judge it "
            "before use; support=0.3, another representation (train_dynamics) or more data "
            "may help.",
            DataWarning,
            stacklevel=stacklevel,
        )
