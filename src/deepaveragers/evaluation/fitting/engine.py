"""The course of a fit: candidates and judges on every fold, the choice, the answer."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np

from ...data.environments import EnvironmentSource
from ...data.observations import is_image
from ...data.transitions import Transitions
from ...errors import DataWarning, InputError
from ...parallel import available_threads, do_all
from ...policy.policy import Policy
from ...progress import Advance, progress
from ..candidates import Candidate, by_encoder
from ..rollouts import evaluate
from .answer import Fit, Judged
from .choosing import alike_by, chosen_of, combined, scores_of
from .folds import as_log, in_blocks
from .folds import folds as divided
from .intervals import Estimate, difference, mean_of
from .judges.panel import AGREEMENT, JUDGES, Panel, learning_steps, make_panel, one_thread_each
from .judges.verdict import Opinion, Verdict, Withheld
from .kept import Kept
from .making import Maker
from .watching import Watch, watched

Opinions = dict[str, Opinion]
"""By judge."""
Group = Sequence[Candidate]
"""Candidates that share a representation."""


class Engine:
    """Everything between a log and its answer; see `fit` for the arguments."""

    def __init__(
        self,
        data: Transitions,
        candidates: Sequence[Candidate],
        *,
        gamma: float,
        level: float,
        folds: int,
        learn: bool,
        seed: int,
        deadline: float | None,
        kept: Kept,
        show_progress: bool | None,
        watch: Watch | None = None,
    ) -> None:
        self._whole, self._gamma, self._level, self._seed = data, gamma, level, seed
        self._data, self._cut = in_blocks(data)
        if self._data.num_episodes < folds:
            allowed = f"at most {self._data.num_episodes}, the number of episodes"
            raise InputError("folds", allowed, folds)
        self._folds = divided(self._data, folds, seed)
        self._learn, self._deadline, self._show = learn, deadline, show_progress
        self._candidates = tuple(candidates)
        self._groups = by_encoder(self._candidates)
        steps = (len(self._groups) + 2) * len(self._folds)
        self._step = watched(watch, steps)
        self._opinions: list[dict[int, Opinions]] = [{} for _ in self._folds]
        self._panels: dict[int, Panel] = {}
        self._judged: list[Judged] = []
        self._chosen: Judged | None = None
        self._kept = kept
        self.notes: list[str] = []

    def judge(self) -> None:
        """Have every candidate made and judged on every fold."""
        places = {id(candidate): place for place, candidate in enumerate(self._candidates)}
        groups = self._groups
        total = len(self._folds) * len(self._candidates)
        self._prepare()
        with progress("candidates", total, show=self._show) as advance:
            for number, group in enumerate(groups):
                if number and self._late():
                    late = sum(map(len, groups[number:]))
                    self.notes.append(f"Left out for lack of time: {late} candidates.")
                    break

                def judge_fold(fold: int, number: int = number, group: Group = group) -> None:
                    found = self.judge_group(fold, number)
                    for candidate, opinions in zip(group, found, strict=True):
                        self._opinions[fold][places[id(candidate)]] = opinions
                    advance(len(group))

                self._each_fold(judge_fold)
        folds = range(len(self._folds))
        estimates = self._all_estimates(folds)
        scores = scores_of(estimates)
        judged = {
            place: Judged(self._candidates[place], estimates[place], scores[place][0])
            for place in estimates
        }
        self._judged = sorted(judged.values(), key=lambda one: -one.score)
        self._chosen = judged[self._choice(scores, folds)]
        silent = sum(not math.isfinite(one.score) for one in self._judged)
        if 0 < silent < len(judged):
            self.notes.append(f"No judge can say anything of {silent} of {len(judged)} candidates.")

    def play(self, budget: int, env: EnvironmentSource, episodes: int) -> None:
        """Play the best candidates in an environment, and choose the best of those."""
        for place, one in enumerate(self._judged[:budget]):
            policy = self._made(one.candidate)
            report = evaluate(policy, env, episodes, seed=self._seed, show_progress=self._show)
            self._judged[place] = replace(one, online=report)
        played = self._judged[:budget]
        self._chosen = max(played, key=lambda one: one.online.mean if one.online else -math.inf)

    def answer(self, notes: tuple[str, ...], began: float) -> Fit:
        """Return the chosen policy, made from all of the log, and what is to be said of it."""
        assert self._chosen is not None
        candidate = self._chosen.candidate
        behaviour = [self._panel(fold).behaviour for fold in range(len(self._folds))]
        reported = self._reported()
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
            behaviour=mean_of(behaviour, self._level),
            better=combined(reported)[0] if known else math.nan,
            interval=interval,
            level=self._level,
            judged=tuple(self._judged),
            opinions=reported,
            episodes=self._data.num_episodes,
            blocks=self._cut,
            gamma=self._gamma,
            notes=notes,
            seconds=time.perf_counter() - began,
        )

    def _prepare(self) -> None:
        """Make the judges, which takes longest, with a bar of their own."""
        sizes = [len(fold.judged_on) for fold in self._folds]
        updates = sum(learning_steps(self._data, size) for size in sizes) if self._learn else 0
        with progress("judges", updates, show=self._show) as advance:
            self._each_fold(partial(self.prepare_fold, advance=advance))

    def prepare_fold(self, fold: int, advance: Advance) -> None:
        """Make the judges of a fold; what they learn is kept."""
        kept = self._kept.judges(fold)
        panel = make_panel(
            as_log(self._data.subset(self._folds[fold].judged_on), self._gamma),
            seed=self._seed + fold,
            learn=self._learn,
            advance=advance,
            kept=kept,
        )
        if kept is None:
            self._kept.put_judges(fold, panel.learnt)
        self._panels[fold] = panel

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Work without warnings: what is doubtful is for the judges to find out."""
        with warnings.catch_warnings(), one_thread_each(self._learn):
            warnings.simplefilter("ignore", DataWarning)
            yield

    def _each_fold(self, work: Callable[[int], None]) -> None:
        """Do the work of every fold, side by side in threads."""
        with self.quietly():
            jobs = [partial(self._do, work, fold) for fold in range(len(self._folds))]
            do_all(jobs, available_threads())

    def _do(self, work: Callable[[int], None], fold: int) -> None:
        work(fold)
        self._step()

    def _panel(self, fold: int) -> Panel:
        return self._panels[fold]

    def judge_group(self, fold: int, number: int) -> list[Opinions]:
        """Return what the judges of a fold say of a group of candidates, and keep it."""
        group = self._groups[number]
        known = self._kept.get(fold, number)
        if known is not None:
            return known
        rows = self._folds[fold].made_from
        maker = Maker(self._data.subset(rows), rows, self._seed)
        made = {id(candidate): policy for candidate, policy in maker.policies(group)}
        policies = [made[id(candidate)] for candidate in group]
        actors = [one for one in policies if isinstance(one, Policy)]
        heard = iter(self._panel(fold).opinions(actors) if actors else [])
        found: list[Opinions] = [
            dict.fromkeys(JUDGES, one) if isinstance(one, Withheld) else next(heard)
            for one in policies
        ]
        self._kept.put(fold, number, found)
        return found

    def _choice(self, scores: Mapping[int, tuple[float, float]], folds: Sequence[int]) -> int:
        """Return the place of the candidate that some folds choose."""
        agreement = self._agreement(folds)
        rows, actions = self._data.action_vectors, self._data.actions
        chance = 0.0 if rows else float(np.bincount(actions).max()) / len(actions)
        return chosen_of(
            self._candidates, scores, agreement, alike_by(agreement, chance, rows=rows)
        )

    def _agreement(self, folds: Sequence[int]) -> dict[int, float]:
        """Return the share of held-out actions that each candidate takes too, by place."""

        def share(fold: int, place: int) -> float:
            said = self._opinions[fold][place].get(AGREEMENT)
            return said.value if isinstance(said, Verdict) else 0.0

        return {
            place: sum(share(fold, place) for fold in folds) / len(folds)
            for place in self._opinions[0]
        }

    def _all_estimates(self, folds: Sequence[int]) -> dict[int, dict[str, Estimate | Withheld]]:
        """Return what some folds together say of every candidate, by place."""
        return {
            place: self._estimates([self._opinions[fold][place] for fold in folds], folds)
            for place in sorted(self._opinions[0])
        }

    def _estimates(
        self, opinions: Sequence[Opinions], folds: Sequence[int] | None = None
    ) -> dict[str, Estimate | Withheld]:
        """Return, by judge, the difference to behaviour over some folds; None: all."""
        folds = range(len(self._folds)) if folds is None else folds
        behaviour = [self._panel(fold).behaviour for fold in folds]
        return {
            name: difference([one[name] for one in opinions], behaviour, self._level)
            for name in JUDGES
        }

    def _reported(self) -> dict[str, Estimate | Withheld]:
        """Return what is said of the choice: each fold judges what the other folds chose."""
        assert self._chosen is not None
        chosen = []
        for fold in range(len(self._folds)):
            others = [one for one in range(len(self._folds)) if one != fold]
            scores = scores_of(self._all_estimates(others))
            chosen.append(self._opinions[fold][self._choice(scores, others)])
        return self._estimates(chosen)

    def _whole_estimates(self, policy: Policy) -> dict[str, Estimate]:
        """Return what judges say of the policy made from all of the log, their part included."""
        opinions: dict[int, Opinions] = {}

        def judge_fold(fold: int) -> None:
            opinions[fold] = self._panel(fold).opinions([policy])[0]

        self._each_fold(judge_fold)
        found = self._estimates([opinions[fold] for fold in range(len(self._folds))])
        return {name: one for name, one in found.items() if isinstance(one, Estimate)}

    def _made(self, candidate: Candidate) -> Policy:
        """Return the candidate's policy from all of the log."""
        maker = Maker(self._whole, slice(None), self._seed)
        # Small networks learn nearly as fast on one thread; two wait for each other if crowded.
        small = self._learn and not is_image(self._data.observations)
        with warnings.catch_warnings(), one_thread_each(small):
            warnings.simplefilter("ignore", DataWarning)
            policy = next(iter(maker.policies([candidate])))[1]
        if isinstance(policy, Withheld):
            raise InputError("candidates", "ones that can be made from the data", policy.reason)
        return policy

    def _late(self) -> bool:
        return self._deadline is not None and time.perf_counter() > self._deadline
