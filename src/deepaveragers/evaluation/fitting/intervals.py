"""From verdicts on several folds to a difference with an interval.

With parts p_e of a judge and b_e of logged behaviour on the episodes of fold f, the difference is
the mean of p - b over all episodes, and its squared standard error the sum over folds of
(share of the episodes)^2 (variance of p - b / episodes + spread^2). Student's t gives the width.
Doubt is no matter of chance: the mean of the folds' is taken off the lower end as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ..quantiles import student_reach
from .judges.verdict import Opinion, Verdict, Withheld


@dataclass(frozen=True)
class Estimate:
    """A value with its interval.

    Attributes:
        value: the estimate, in units of reward.
        low: lower end of the interval.
        high: upper end.
        effective: episodes that it effectively rests on.
        doubt: how much less it is at worst where the log has nothing like it; in the interval.
    """

    value: float
    low: float
    high: float
    effective: float
    doubt: float = 0.0

    @property
    def error(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2.0


def mean_of(parts: Sequence[Float64], level: float) -> Estimate:
    """Return the mean over the episodes of all folds."""
    everything = np.concatenate(parts)
    return _estimate([Verdict(everything, 0.0, float(len(everything)))], level)


def difference(
    opinions: Sequence[Opinion], behaviour: Sequence[Float64], level: float
) -> Estimate | Withheld:
    """Return how much more than logged behaviour a policy earns, by one judge.

    Args:
        opinions: of the judge, one per fold.
        behaviour: [E] what was logged in the episodes of each fold.
        level: of the interval.
    """
    verdicts = []
    for opinion, logged in zip(opinions, behaviour, strict=True):
        if isinstance(opinion, Withheld):
            return opinion
        verdicts.append(replace(opinion, parts=opinion.parts - logged))
    found = _estimate(verdicts, level)
    everything = np.concatenate(behaviour)
    span = float(everything.max() - everything.min())
    chance = found.error - found.doubt / 2.0
    if not math.isfinite(chance) or chance > max(span, 1e-12):
        return Withheld(
            f"its interval, +-{chance:.3g}, is wider than all returns in the log differ"
        )
    return found


def _estimate(verdicts: Sequence[Verdict], level: float) -> Estimate:
    sizes = np.array([len(one.parts) for one in verdicts])
    shares = sizes / sizes.sum()
    value = float(shares @ [one.value for one in verdicts])
    scatter = [one.parts.var(ddof=1) if len(one.parts) > 1 else math.inf for one in verdicts]
    squared = np.array(scatter) / sizes + np.square([one.spread for one in verdicts])
    freedom = max(1, int(sizes.sum()) - len(verdicts))
    width = student_reach(freedom, level) * float(np.sqrt(shares**2 @ squared))
    effective = float(sum(one.effective for one in verdicts))
    doubt = float(shares @ [one.doubt for one in verdicts])
    return Estimate(value, value - width - doubt, value + width, effective, doubt)
