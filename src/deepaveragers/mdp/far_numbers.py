"""Warnings of single numbers that make the tolerance of every plan too loose to mean anything."""

from __future__ import annotations

import warnings

import numpy as np

from ..arrays import Floats
from ..data.far_values import far_reward, far_state
from ..data.transitions import Transitions
from ..errors import DataWarning
from ..representation.encoder import Encoder, Identity, Standardize

HARM = "sets the scale of the tolerance, and plans are only as exact as that; leave"


def warn_of_far_numbers(
    data: Transitions, encoder: Encoder, source: Floats, core: Floats, *, stacklevel: int
) -> None:
    """Say which next observation and which reward lies absurdly far from all others.

    Args:
        data: the transitions.
        encoder: the fitted representation.
        source: [N, D] features of the observations.
        core: [M, D] features of the last M next observations: those that are new.
        stacklevel: that of the caller's caller.
    """
    first = len(data) - len(core)
    far = far_state(source, core, ~data.terminations[first:])
    if far is not None:
        row, column = first + far.row, far.column
        if isinstance(encoder, Identity | Standardize):
            value = np.asarray(data.next_observations[row]).reshape(-1)[column]
            what = f"is {value:g} in column {data.column_name(column)}"
        else:
            what = f"has {core[far.row, column]:g} as feature {column}"
        more = f" (and so in {far.others:,} more row{'s' * (far.others > 1)})" if far.others else ""
        warnings.warn(
            f"Next observation {row} {what}, absurdly far from all observations{more}: the cost "
            f"of that distance {HARM} such rows out or mend the values.",
            DataWarning,
            stacklevel=stacklevel,
        )
    spike = far_reward(data.rewards)
    if spike is not None and spike >= first:
        warnings.warn(
            f"Reward {spike} is {data.rewards[spike]:g}, over a thousand times the size of any "
            f"other: it {HARM} that row out or mend it, or solve with a smaller tolerance.",
            DataWarning,
            stacklevel=stacklevel,
        )
