"""Which candidate is taken: the best that simulators see, and the more cautious one of equals.

1. Held-out judges leave out what is clearly worse: by more than the error of the difference to the
   best one. A judge may be too hopeful, or too gloomy, about all candidates alike. So every judge
   has one weight for all of them, the inverse square of its median error: were weights a
   candidate's own, one that the gloomy judge is unsure of would win by the hopeful one's word. A
   candidate's score is the mean of its estimates by these weights, each at worst: less what it
   would lose where the log has nothing like it (`doubt`).
2. They judged policies made from a part of the log, and one made from all of it may compare
   differently: on MountainCar plans without support are clearly the best then, and no better from
   half. So simulators compare the policies that could be delivered, though they learnt from the
   same episodes; also at worst, and only those of which they can say something held-out. All play
   the same starts with the same luck, so differences are told apart in pairs: much of what is wrong
   with a simulator is wrong for all of them. What is reported of the choice comes from held-out
   episodes again. Of pictures, policies are not made from all of the log for this: the scores of
   the judges decide, told apart by the best one's error.
3. Of those that are not told apart, a plan with support is taken where there is one (BCQ's own
   policy is one, by its own imitation): it does what the log shows in similar states, and so leans
   least on what is believed of states that the log hardly has. Of several, it is BCQ's own policy
   if this predicts held-out actions: a network tells better than neighbours what was done, and
   simulators hardly see that. Else it is one that takes the held-out actions most often: its idea
   of what the log shows is the best. Where actions were taken at random, agreement says nothing,
   and BCQ has nothing to stay near to. Of those left, it is the smoothest: the more neighbours
   decide (k_pi), the less a single one errs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..candidates import Candidate
from .intervals import Estimate
from .judges.simulated import Simulated
from .judges.verdict import Withheld

Estimates = Mapping[str, Estimate | Withheld]
"""By judge."""
AGREE_ALIKE = 0.01
"""Share of held-out actions by which plans must differ for one to predict them better."""
ROWS_AGREE_ALIKE = 0.005
"""The same of rows, which agree by degrees: the error of a mean over 4,000 decisions whose
agreement deviates by 0.3."""
PREDICTED = 0.1
"""Agreement beyond chance, as a share of all that there can be. Where no candidate has more, none
predicts actions: they are random, and no plan knows more of them than another."""
SMALLEST_ERROR = 1e-12
SURE = 1.645
"""Standard errors by which simulated returns must differ: a given candidate that is as good as the
best one is that far behind it in one log of twenty."""


class Ranking(NamedTuple):
    """Candidates by what they earn.

    Attributes:
        scores: by place; the more, the better.
        alike: places that are not told apart from the best one, which is among them.
    """

    scores: Mapping[int, float]
    alike: Sequence[int]

    @property
    def best(self) -> int:
        """The place of the largest score, the first of equals."""
        return _largest(self.scores)


def combined(
    estimates: Estimates, errors: Mapping[str, float] | None = None
) -> tuple[float, float]:
    """Return the mean of the estimates and half the width of its interval; -inf for none.

    Args:
        estimates: of one candidate.
        errors: of the judges, by which their estimates weigh; None takes the estimates' own.
    """
    known = {name: one for name, one in estimates.items() if isinstance(one, Estimate)}
    if not known:
        return -math.inf, math.inf
    own = {name: max(one.error, SMALLEST_ERROR) for name, one in known.items()}
    weights = np.array([(errors or own)[name] ** -2 for name in known])
    weights /= weights.sum()
    mean = float(weights @ [one.value for one in known.values()])
    return mean, float(np.sqrt(weights**2 @ np.square([own[name] for name in known])))


def by_simulators(played: Mapping[int, Sequence[Simulated]], behaviour: Sequence[float]) -> Ranking:
    """Rank candidates by what they earn in simulators, at worst.

    Args:
        played: by place, in each of them.
        behaviour: what logged behaviour earned in the episodes of each.
    """
    scores = {
        place: _rounded(float(np.mean([one.value - one.doubt for one in own]) - np.mean(behaviour)))
        for place, own in played.items()
    }
    best = _largest(scores)

    def error(place: int) -> float:
        pairs = zip(played[best], played[place], strict=True)
        apart = [first.error_beside(other) for first, other in pairs]
        return SURE * float(np.sqrt(np.sum(np.square(apart)))) / len(apart)

    return Ranking(scores, [one for one in scores if scores[one] >= scores[best] - error(one)])


def by_judges(judged: Mapping[int, Estimates]) -> Ranking:
    """Rank candidates by the judges' estimates; scores are -inf where none can say anything."""
    found = _judged(judged)
    scores = {place: score for place, (score, _) in found.items()}
    best = _largest(scores)
    least = scores[best] - found[best][1]
    return Ranking(scores, [place for place in scores if scores[place] >= least])


def contenders(judged: Mapping[int, Estimates]) -> list[int]:
    """Return what judges do not call clearly worse; all, where they say nothing of any."""
    found = _judged(judged)
    best = max(found, key=lambda place: found[place][0])
    score, error = found[best]
    if not math.isfinite(score):
        return list(found)
    known = {place: own for place, own in found.items() if math.isfinite(own[0])}
    return [place for place, (own, wide) in known.items() if own >= score - math.hypot(error, wide)]


def _judged(judged: Mapping[int, Estimates]) -> dict[int, tuple[float, float]]:
    """Return the score of every candidate and half the width of its interval, by place."""
    found: dict[str, list[float]] = {}
    for estimates in judged.values():
        for name, one in estimates.items():
            if isinstance(one, Estimate):
                found.setdefault(name, []).append(max(one.error, SMALLEST_ERROR))
    errors = {name: float(np.median(own)) for name, own in found.items()}
    means = {place: combined(_at_worst(one), errors) for place, one in judged.items()}
    return {place: (_rounded(score), error) for place, (score, error) in means.items()}


def _largest(scores: Mapping[int, float]) -> int:
    return max(scores, key=lambda place: scores[place])


def _at_worst(estimates: Estimates) -> Estimates:
    """Return estimates less their doubt."""
    return {
        name: replace(one, value=one.value - one.doubt) if isinstance(one, Estimate) else one
        for name, one in estimates.items()
    }


def _rounded(score: float) -> float:
    """Return a score to six digits: how float32 networks round elsewhere must not decide."""
    return float(f"{score:.6g}")


def chosen_of(
    candidates: Sequence[Candidate],
    ranking: Ranking,
    agreement: Mapping[int, float],
    agree_alike: float = AGREE_ALIKE,
    chance: float = 0.0,
) -> int:
    """Return the place of the candidate to take; the first of equals.

    Args:
        candidates: all of them.
        ranking: of those that may be taken.
        agreement: share of held-out actions that each takes too, by place.
        agree_alike: by how much shares must differ; inf where actions were random.
        chance: share that always taking the commonest action has.
    """
    cautious = [place for place in ranking.alike if is_cautious(candidates[place])]
    if not cautious or not math.isfinite(ranking.scores[ranking.best]):
        return ranking.best
    most = max(agreement[place] for place in cautious)
    left = [place for place in cautious if agreement[place] >= most - agree_alike]
    if math.isfinite(agree_alike):
        own = [place for place in cautious if candidates[place].own]
        left = [place for place in own if predicts(agreement[place], chance)] or left
    return max(left, key=lambda place: (candidates[place].k_pi, ranking.scores[place]))


def alike_by(agreement: Mapping[int, float], chance: float, *, rows: bool) -> float:
    """Return by how much agreement must differ to count; inf where no candidate predicts actions.

    Args:
        agreement: share of held-out actions that each candidate takes too, by place.
        chance: the share that always taking the commonest action has; of rows 0.
        rows: whether actions are rows, which agree by degrees.
    """
    if not predicts(max(agreement.values()), chance):
        return math.inf
    return ROWS_AGREE_ALIKE if rows else AGREE_ALIKE


def predicts(agreement: float, chance: float) -> bool:
    """Whether taking this share of the held-out actions is more than chance."""
    return agreement - chance > PREDICTED * (1.0 - chance)


def is_cautious(candidate: Candidate) -> bool:
    """Whether it is a whole plan that stays with what the log shows, and more than imitation."""
    return 0.0 < candidate.objective.support < 1.0 and not candidate.one_step
