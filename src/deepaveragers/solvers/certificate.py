"""Bounds on the optimal values from one sweep.

Let V be the values before a sweep and Z those after it, computed in float64 from the stored
distances and rewards; d = Z - V. In a Jacobi sweep every backup reads V; in a Gauss-Seidel
sweep some of what it reads is already Z. Either way, with u a bound on the rounding of one
backup and d+ = max(0, max d):

    T Z (s) <= backup(s) + gamma d+ <= Z(s) + u + gamma d+

so with c = (u + gamma d+) / (1 - gamma), T(Z + c) <= T Z + gamma c <= Z + c, and as T is
monotone, V* <= Z + c. The lower bound mirrors it. (The MacQueen bounds, in the form that
stays right where successors end the episode and do not move with a constant.)

The rounding of a backup: an average of k outcomes r + gamma V - price * d with weights that
carry 2 rounding errors each, so fewer than 2 k + 16 units of 2^-53 of the largest outcome's
parts; at most A + 8 more for slip, worst case, policies, and the subtraction Z - V.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.model import Model

UNIT = 2.0**-53


@dataclass(frozen=True)
class Certificate:
    """What one sweep proves.

    Attributes:
        below: how far the optimal values can lie below the computed ones.
        above: how far they can lie above.
        residual: largest absolute change of a value in the sweep.
        rounding: bound on the rounding of one backup (u).
    """

    below: float
    above: float
    residual: float
    rounding: float

    @property
    def error(self) -> float:
        """Largest possible distance to the optimal values."""
        return max(self.below, self.above)


def largest_step(model: Model, largest_penalty: float) -> float:
    """Return the size of the numbers that one step adds up."""
    rewards = float(np.abs(model.rewards).max(initial=0.0))
    return rewards + largest_penalty + float(np.abs(model.penalties).max())


def rounding_of_backup(model: Model, largest_value: float, largest_penalty: float) -> float:
    """Return u for values and penalties up to these sizes."""
    sizes = largest_step(model, largest_penalty) + largest_value
    return (2 * model.k + model.indices.shape[1] + 24) * UNIT * sizes


def certify(
    model: Model, smallest: float, largest: float, largest_value: float, largest_penalty: float
) -> Certificate:
    """Return the bounds after a sweep that changed values by smallest..largest."""
    down, up = max(0.0, -smallest), max(0.0, largest)
    before = largest_value + max(down, up)
    rounding = rounding_of_backup(model, before, largest_penalty)
    slack = (1.0 + 16 * UNIT) / (1.0 - model.gamma)
    return Certificate(
        below=(rounding + model.gamma * down) * slack,
        above=(rounding + model.gamma * up) * slack,
        residual=max(down, up),
        rounding=rounding,
    )
