"""What followed each transition in the log."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Int64
from .transitions import Transitions


def returns_to_go(data: Transitions, gamma: float) -> Float64:
    """Return [N] sum_h gamma^h r_(t+h) from each transition to the end of its episode as logged.

    Beyond the end of an episode that was cut off nothing is counted.
    """
    returns = np.array(data.rewards, dtype=np.float64)
    for episode in data.episodes():
        later = 0.0
        for row in range(episode.stop - 1, episode.start - 1, -1):
            later = 0.0 if data.terminations[row] else later
            later = returns[row] = data.rewards[row] + gamma * later
    return returns


def rows_ahead(data: Transitions, steps: int) -> Int64:
    """Return [N] the row that lies so many rows after each in its episode; -1 where none does."""
    rows = np.arange(steps, len(data) + steps)
    inside = rows < len(data)
    rows[~inside] = 0
    inside &= data.episode_ids[rows] == data.episode_ids
    # Runs of one id that hold several episodes stay several.
    ended = np.concatenate(([0], np.cumsum(data.terminations | data.truncations)))
    inside &= ended[rows] == ended[:-1]
    return np.where(inside, rows, -1)
