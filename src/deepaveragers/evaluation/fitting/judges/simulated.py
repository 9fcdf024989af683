"""What policies earn in a simulator, and how sure two of them are told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....arrays import Float64

LEAST_APART = 0.25
"""Share of the variance between members that is never put down to chance."""


@dataclass(frozen=True, eq=False)
class Simulated:
    """Episodes that a policy played in a simulator; episode b is played by member b mod M.

    Two policies that play the same starts in it with the same luck can be compared in pairs.

    Attributes:
        returns: [B] float64, discounted.
        at_worst: [B] the same, with the least return from where the simulator is not believed.
        members: M, models that differ in what they were made from.
        draws: samples of the episodes that members were made from.
        draw_variance: between members, as a share of what it is between bootstrap samples.
        doubted: how much less logged behaviour would earn at worst.
    """

    returns: Float64
    at_worst: Float64
    members: int
    draws: int
    draw_variance: float
    doubted: float = 0.0

    @property
    def value(self) -> float:
        """The mean return."""
        return float(self.returns.mean())

    @property
    def doubt(self) -> float:
        """How much less is earned at worst, beyond what logged behaviour would lose so."""
        return max(0.0, float((self.returns - self.at_worst).mean()) - self.doubted)

    @property
    def error(self) -> float:
        """The standard error: of the mean over episodes, and of models that disagree.

        Members learn from samples of the same episodes (the bootstrap). How far they are apart,
        less what chance puts between them, is the error of the model; a quarter of it at least, as
        chance is an estimate too. With so many samples it has the variance of Student's t,
        (draws - 1) / (draws - 3).
        """
        groups = [self.returns[one :: self.members] for one in range(self.members)]
        apart = float(np.var([own.mean() for own in groups], ddof=1))
        chance = float(np.mean([own.var(ddof=1) / len(own) for own in groups]))
        model = max(apart - chance, LEAST_APART * apart) / self.draw_variance
        episodes = float(self.returns.var(ddof=1)) / len(self.returns)
        return float(np.sqrt(episodes + (self.draws - 1) / (self.draws - 3) * model))

    def error_beside(self, other: Simulated) -> float:
        """Return the standard error of the difference to another policy, episode by episode.

        Of returns or of those at worst, whichever is larger: scores hold both.
        """
        pairs = (self.returns - other.returns, self.at_worst - other.at_worst)
        return max(replace(self, returns=one).error for one in pairs)
