"""The course of a fit: candidates judged in every part of the log, the choice, the answer."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...arrays import Float64
from ...data.environments import EnvironmentSource
from ...data.observations import is_image
from ...errors import DataWarning, InputError
from ...parallel import available_threads, do_all
from ...policy.policy import Policy
from ...progress import progress
from ..candidates import Candidate
from ..rollouts import evaluate
from .answer import Fit, Judged
from .choosing import (
    Estimates,
    Ranking,
    alike_by,
    by_judges,
    by_simulators,
    chosen_of,
    combined,
    contenders,
)
from .heard import Heard, Opinions
from .intervals import Estimate, difference, mean_of
from .judges.panel import AGREEMENT, JUDGES, learning_steps, one_thread_each
from .judges.verdict import Verdict, Withheld
from .judging import Judging
from .watching import Watch, watched

Group = Sequence[Candidate]
"""Candidates that share a representation."""


class Engine:
    """Everything between a log and its answer.

    Args:
        judging: who makes and judges the candidates.
        candidates: all of them.
        level: of the intervals.
        deadline: time after which no further group of candidates is begun; None: none.
        show_progress: force bars on or off; None shows them on a terminal.
        watch: is told how far it has come.
    """

    def __init__(
        self,
        judging: Judging,
        candidates: Sequence[Candidate],
        *,
        level: float,
        deadline: float | None,
        show_progress: bool | None,
        watch: Watch | None = None,
    ) -> None:
        self._judging, self._candidates = judging, tuple(candidates)
        self._level, self._deadline, self._show = level, deadline, show_progress
        self._folds = range(len(judging.folds))
        steps = len(judging.groups) * len(judging.parts) + 2 * len(self._folds)
        self._step = watched(watch, steps)
        self._heard: list[dict[int, Heard]] = [{} for _ in judging.parts]
        self._judged: list[Judged] = []
        self._chosen: Judged | None = None
        self.notes: list[str] = []

    def judge(self) -> None:
        """Have every candidate made from every part of the log, and judged; choose one."""
        self._prepare()
        self._judge_all()
        estimates = self._all_estimates(self._folds)
        ranking = self._ranking(self._judging.whole, self._folds, estimates)
        held_out = by_judges(estimates).scores
        scores = {**held_out, **ranking.scores}
        judged = {
            place: Judged(self._candidates[place], own, scores[place])
            for place, own in estimates.items()
        }
        places = sorted(judged, key=lambda place: (place not in ranking.scores, -scores[place]))
        self._judged = [judged[place] for place in places]
        self._chosen = judged[self._choice(ranking, self._folds)]
        silent = [place for place, score in held_out.items() if not math.isfinite(score)]
        if 0 < len(silent) < len(judged):
            self.notes.append(_of_silence(judged, silent))

    def _judge_all(self) -> None:
        places = {id(candidate): place for place, candidate in enumerate(self._candidates)}
        groups, parts = self._judging.groups, self._judging.parts
        with progress("candidates", len(parts) * len(places), show=self._show) as advance:
            for number, group in enumerate(groups):
                if number and self._late():
                    late = sum(map(len, groups[number:]))
                    self.notes.append(f"Left out for lack of time: {late} candidates.")
                    break

                def judge_part(part: int, number: int = number, group: Group = group) -> None:
                    found = self._judging.judge_group(part, number)
                    for candidate, heard in zip(group, found, strict=True):
                        self._heard[part][places[id(candidate)]] = heard
                    advance(len(group))

                # The whole log takes longest: it begins first.
                self._side_by_side(judge_part, reversed(parts))

    def play(self, budget: int, env: EnvironmentSource, episodes: int) -> None:
        """Play the best candidates in an environment, and choose the best of those."""
        for place, one in enumerate(self._judged[:budget]):
            policy = self._made(one.candidate)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                report = evaluate(
                    policy, env, episodes, seed=self._judging.seed, show_progress=self._show
                )
            self._judged[place] = replace(one, online=report)
        played = self._judged[:budget]
        cut_off = sum(one.online.cut_off for one in played if one.online)
        if cut_off:
            self.notes.append(f"Played episodes that never ended, and were cut off: {cut_off}.")
        self._chosen = max(played, key=lambda one: one.online.mean if one.online else -math.inf)

    def answer(self, notes: tuple[str, ...], began: float) -> Fit:
        """Return the chosen policy, made from all of the log, and what is to be said of it."""
        assert self._chosen is not None
        candidate = self._chosen.candidate
        reported, judging = self._reported(), self._judging
        known = [one for one in reported.values() if isinstance(one, Estimate)]
        interval = (-math.inf, math.inf)
        with progress("policy", 2, show=self._show) as advance:
            policy = self._made(candidate)
            advance(1)
            if known:
                whole = self._whole_estimates(policy)
                above = [e.high for n, e in whole.items() if isinstance(reported[n], Estimate)]
                low, high = min(one.low for one in known), max(one.high for one in known)
                interval = (low, max([high, *above]))
            advance(1)
        return Fit(
            policy=policy,
            candidate=candidate,
            behaviour=mean_of(self._behaviour(self._folds), self._level),
            better=combined(reported)[0] if known else math.nan,
            interval=interval,
            level=self._level,
            judged=tuple(self._judged),
            opinions=reported,
            episodes=judging.data.num_episodes,
            blocks=judging.cut,
            gamma=judging.gamma,
            notes=notes,
            seconds=time.perf_counter() - began,
        )

    def _prepare(self) -> None:
        """Make the judges, which takes longest, with a bar of their own."""
        judging = self._judging
        sizes = [len(fold.judged_on) for fold in judging.folds]
        updates = sum(learning_steps(judging.data, size) for size in sizes) if judging.learn else 0
        with progress("judges", updates, show=self._show) as advance:
            self._side_by_side(partial(judging.prepare_fold, advance=advance), self._folds)

    def _side_by_side(self, work: Callable[[int], None], parts: Iterable[int]) -> None:
        """Do the work of some parts, or folds, in threads."""
        with self._judging.quietly():
            do_all([partial(self._do, work, part) for part in parts], available_threads())

    def _do(self, work: Callable[[int], None], part: int) -> None:
        work(part)
        self._step()

    def _ranking(
        self, part: int, folds: Sequence[int], estimates: Mapping[int, Estimates]
    ) -> Ranking:
        """Rank the candidates that are made from a part.

        Args:
            part: which.
            folds: the episodes in it.
            estimates: what judges of these folds say, by place.
        """
        if part not in self._judging.parts:
            return by_judges(estimates)
        heard = self._heard[part]
        made = {place: own for place, own in estimates.items() if heard[place].made} or estimates
        played = {
            place: heard[place].inside
            for place in contenders(made)
            if heard[place].inside and isinstance(made[place]["simulator"], Estimate)
        }
        if not played:
            return by_judges(made)
        return by_simulators(played, [float(own.mean()) for own in self._behaviour(folds)])

    def _choice(self, ranking: Ranking, folds: Sequence[int]) -> int:
        """Return the place of the candidate to take."""
        agreement, data = self._agreement(folds), self._judging.data
        rows, actions = data.action_vectors, data.actions
        chance = 0.0 if rows else float(np.bincount(actions).max()) / len(actions)
        alike = alike_by(agreement, chance, rows=rows)
        return chosen_of(self._candidates, ranking, agreement, alike, chance)

    def _behaviour(self, folds: Sequence[int]) -> list[Float64]:
        """Return what logged behaviour earned in the episodes of some folds."""
        return [self._judging.panels[fold].behaviour for fold in folds]

    def _agreement(self, folds: Sequence[int]) -> dict[int, float]:
        """Return the share of held-out actions that each candidate takes too, by place."""

        def share(fold: int, place: int) -> float:
            said = self._heard[fold][place].opinions.get(AGREEMENT)
            return said.value if isinstance(said, Verdict) else 0.0

        return {
            place: sum(share(fold, place) for fold in folds) / len(folds)
            for place in self._heard[0]
        }

    def _all_estimates(self, folds: Sequence[int]) -> dict[int, dict[str, Estimate | Withheld]]:
        """Return what some folds together say of every candidate, by place."""
        return {
            place: self._estimates([self._heard[fold][place].opinions for fold in folds], folds)
            for place in sorted(self._heard[0])
        }

    def _estimates(
        self, opinions: Sequence[Opinions], folds: Sequence[int]
    ) -> dict[str, Estimate | Withheld]:
        """Return, by judge, the difference to behaviour over some folds."""
        behaviour = self._behaviour(folds)
        return {
            name: difference([one[name] for one in opinions], behaviour, self._level)
            for name in JUDGES
        }

    def _reported(self) -> dict[str, Estimate | Withheld]:
        """Return what is said of the choice: each fold judges what the others chose."""
        chosen = []
        for fold in self._folds:
            others = [one for one in self._folds if one != fold]
            ranking = self._ranking(fold, others, self._all_estimates(others))
            chosen.append(self._heard[fold][self._choice(ranking, others)].opinions)
        return self._estimates(chosen, self._folds)

    def _whole_estimates(self, policy: Policy) -> dict[str, Estimate]:
        """Return what judges say of the policy made from all of the log, their part included."""
        opinions: dict[int, Opinions] = {}

        def judge_fold(fold: int) -> None:
            opinions[fold] = self._judging.panels[fold].opinions([policy])[0]

        self._side_by_side(judge_fold, self._folds)
        found = self._estimates([opinions[fold] for fold in self._folds], self._folds)
        return {name: one for name, one in found.items() if isinstance(one, Estimate)}

    def _made(self, candidate: Candidate) -> Policy:
        """Return the candidate's policy from all of the log."""
        # Small networks learn nearly as fast on one thread; two wait for each other if crowded.
        small = self._judging.learn and not is_image(self._judging.data.observations)
        with warnings.catch_warnings(), one_thread_each(small):
            warnings.simplefilter("ignore", DataWarning)
            policy = next(iter(self._judging.maker(self._judging.whole).policies([candidate])))[1]
        if isinstance(policy, Withheld):
            raise InputError("candidates", "ones that can be made from the data", policy.reason)
        return policy

    def _late(self) -> bool:
        return self._deadline is not None and time.perf_counter() > self._deadline


def _of_silence(judged: Mapping[int, Judged], silent: Sequence[int]) -> str:
    """Return of how many candidates no judge can say anything, and why of one of them."""
    first = judged[silent[0]]
    why = next(one.reason for one in first.estimates.values() if isinstance(one, Withheld))
    return (
        f"No judge can say anything of {len(silent)} of {len(judged)} candidates, such as "
        f"'{first.candidate}': {why}."
    )
