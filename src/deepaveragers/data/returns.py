"""What followed each transition in the log."""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64, Int64
from .transitions import Transitions


def last_rows(data: Transitions) -> Bool:
    """Return [N] whether an episode ends with the row: terminated, cut off, or simply over."""
    last = data.terminations | data.truncations
    last[:-1] |= data.episode_ids[1:] != data.episode_ids[:-1]
    last[-1] = True
    return last


def log_order(data: Transitions) -> Int64:
    """Return [N] the rows by episode and, within one, by time where the log has times.

    Rows of an episode that lie apart in the data come together. Without times, rows of one
    episode are taken to stand in their order.
    """
    keys = (data.episode_ids,) if data.times is None else (data.times, data.episode_ids)
    return np.lexsort(keys).astype(np.int64)


def returns_to_go(data: Transitions, gamma: float) -> Float64:
    """Return [N] sum_h gamma^h r_(t+h) from each transition to the end of its episode as logged.

    Beyond the end of an episode that was cut off nothing is counted.
    """
    from ..kernels.returns import discounted_returns

    return discounted_returns(data.rewards, last_rows(data), np.zeros(len(data)), gamma)


def rows_ahead(data: Transitions, steps: int) -> Int64:
    """Return [N] the row that lies so many rows after each in its episode; -1 where none does."""
    rows = np.arange(steps, len(data) + steps)
    inside = rows < len(data)
    rows[~inside] = 0
    ended = np.concatenate(([0], np.cumsum(last_rows(data))))
    inside &= ended[rows] == ended[:-1]
    return np.where(inside, rows, -1)
