"""The price of distance where none is given: a rule without units.

    C = deviation of the logged returns / spread of the logged states

The returns are the discounted rewards from each transition to the end of its episode as logged,
under the objective's own rewards and discount; where they do not differ at all, the mean
absolute reward stands for their deviation. The order of the rows does not matter where the log
has times; where it has none, only the order within an episode does. The spread is the root mean
squared distance of the logged states from their mean, in the representation. So a jump as far as
the states lie apart costs as much as returns differ. Rewards in other units change C, and all
values, by the same factor, and the plan not at all; nor do features in other units.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Floats
from ..data.returns import log_order
from ..kernels.returns import discounted_returns
from .model import DacMdp

ROWS = 65_536
"""Rows whose squares are taken together."""


def default_cost(mdp: DacMdp, rewards: Floats, gamma: float) -> float:
    """Return C for rewards [N] and a discount."""
    returns = _logged_returns(mdp, rewards, gamma)
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(returns.std())
        size = float(np.abs(rewards).mean())
    # Rounding leaves equal returns with a deviation near their size * 2^-53.
    if not deviation > 1e-12 * float(np.abs(returns).max()):
        deviation = size
    cost = deviation / mdp.spread if mdp.spread > 0.0 else 0.0
    return cost if np.isfinite(cost) else 0.0


def best_logged_return(mdp: DacMdp, rewards: Floats, gamma: float) -> float:
    """Return the largest discounted return that followed any transition in the log."""
    return float(_logged_returns(mdp, rewards, gamma).max())


def _logged_returns(mdp: DacMdp, rewards: Floats, gamma: float) -> Float64:
    """Return [N] what followed each transition to the end of its episode, in the log's order."""
    data = mdp.transitions
    order = log_order(data)
    ids = data.episode_ids[order]
    last = (data.terminations | data.truncations)[order]
    last[:-1] |= ids[1:] != ids[:-1]
    last[-1] = True
    rewards = np.ascontiguousarray(rewards[order], dtype=np.float64)
    return discounted_returns(rewards, last, np.zeros(len(data)), gamma)


def spread_of(features: Floats) -> float:
    """Return the root mean squared distance of features [N, D] from their mean."""
    mean = features.mean(axis=0, dtype=np.float64)
    total = 0.0
    for start in range(0, len(features), ROWS):
        total += float(np.square(features[start : start + ROWS] - mean).sum())
    return float(np.sqrt(total / len(features)))


def median_step(source: Floats, core: Floats) -> float:
    """Return the median length of the steps from features [N, D] to features [N, D]."""
    lengths = np.empty(len(source))
    for start in range(0, len(source), ROWS):
        part = slice(start, start + ROWS)
        moved = np.asarray(core[part], dtype=np.float64) - source[part]
        lengths[part] = np.sqrt(np.square(moved).sum(axis=1))
    return float(np.median(lengths))
