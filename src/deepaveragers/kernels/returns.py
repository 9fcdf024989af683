"""Discounted sums along episodes."""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64
from .jit import kernel


@kernel
def discounted_returns(rewards: Float64, last: Bool, tails: Float64, gamma: float) -> Float64:
    """Return [N] r_t + gamma G_(t+1) within episodes, and r_t + gamma tail_t at their last rows."""
    returns = np.empty(len(rewards))
    for row in range(len(rewards) - 1, -1, -1):
        later = tails[row] if last[row] else returns[row + 1]
        returns[row] = rewards[row] + gamma * later
    return returns
