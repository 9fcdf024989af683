"""Which candidate is taken: the best by all judges, and the more cautious one of equals.

A candidate's score is the mean of its estimates by the inverse of their squared widths. Candidates
whose scores differ by less than a quarter of the best one's error are not told apart. Of those, a
plan with support is taken where there is one: it does what the log shows in similar states, and so
leans least on what the judges believe of states that the log hardly has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..candidates import Candidate
from .intervals import Estimate
from .judges.verdict import Withheld

Estimates = Mapping[str, Estimate | Withheld]
"""By judge."""
TOLD_APART = 0.25
"""Share of the best score's error by which another must lie below it to be worse."""


def combined(estimates: Estimates) -> tuple[float, float]:
    """Return the mean of the estimates and half the width of its interval; -inf for none."""
    known = [one for one in estimates.values() if isinstance(one, Estimate)]
    if not known:
        return -math.inf, math.inf
    weights = np.array([1.0 / max(one.error, 1e-12) ** 2 for one in known])
    mean = float(weights @ [one.value for one in known] / weights.sum())
    return mean, float(weights.sum() ** -0.5)


def chosen_of(judged: Mapping[int, tuple[Candidate, Estimates]]) -> int:
    """Return the place of the candidate to take; the first of equals."""
    scores = {place: combined(estimates) for place, (_, estimates) in judged.items()}
    best = max(scores, key=lambda place: scores[place][0])
    score, error = scores[best]
    if not math.isfinite(score):
        return best
    alike = [place for place in scores if scores[place][0] >= score - TOLD_APART * error]
    cautious = [place for place in alike if is_cautious(judged[place][0])]
    return max(cautious or [best], key=lambda place: scores[place][0])


def is_cautious(candidate: Candidate) -> bool:
    """Whether it is a whole plan that stays with what the log shows, and more than imitation."""
    return 0.0 < candidate.objective.support < 1.0 and not candidate.one_step
