"""Choosing among candidates without an environment.

Every candidate is a way to plan and act. Its policy, planned on all the data, is played in a
simulator made of the data (`evaluation.simulation`); the mean discounted return decides.
Where there is no simulator (pictures), the cross-fitted value decides: plan on one half of
the episodes, evaluate exactly in the MDP of the other half, in both directions. Fitted
Q-evaluation and weighted importance sampling stand beside it (`evaluation.off_policy`).

With an environment and a budget N_e > 1, the best N_e are evaluated in it, as in the paper,
and the best of those is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import (
    flag,
    instance,
    known_keywords,
    number,
    optional,
    seed_number,
    several,
    shown,
    whole_number,
)
from ..arrays import Float64, Int64
from ..data.environments import EnvironmentSource, maker
from ..data.observations import is_image
from ..data.transitions import Transitions
from ..errors import InputError
from ..mdp.model import DacMdp, compile
from ..mdp.objective import Objective
from ..mdp.problem import pose
from ..policy.policy import Policy
from ..progress import progress
from ..solvers.plan import Plan
from ..solvers.starts import Starts, start_states
from .candidates import Candidate, by_encoder, by_plan, candidate_grid
from .importance import Estimate, weighted_importance
from .off_policy import (
    behaviour_chances,
    cross_fitted_values,
    estimate,
    fitted_q_values,
)
from .rollouts import EvaluationReport, evaluate
from .simulation import Simulator, simulate

ESTIMATES = ("cross_fitted", "fitted_q", "importance")
SIMULATED = 48
"""Simulated episodes per candidate."""


@dataclass(frozen=True, eq=False)
class CandidateScore:
    """What is known of a candidate.

    Attributes:
        candidate: the candidate.
        simulated: discounted return in the simulator; None for pictures.
        cross_fitted: exact value in the MDP of the other half, both directions; None where a
            half has none of the actions that may be taken in some state.
        fitted_q: by fitted Q-evaluation.
        importance: by weighted importance sampling; None where no episode agrees.
        online: returns in the environment, where it was among the best N_e.
    """

    candidate: Candidate
    simulated: Estimate | None
    cross_fitted: Estimate | None
    fitted_q: Estimate | None
    importance: Estimate | None
    online: EvaluationReport | None = None

    @property
    def score(self) -> float:
        """What decides without an environment: higher is better."""
        decisive = self.simulated or self.cross_fitted
        return -np.inf if decisive is None else decisive.value


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen candidate, its plan, and what is known of all.

    Attributes:
        best: the chosen candidate.
        plan: its plan, on all the data.
        scores: of every candidate, the best by `score` first.
    """

    best: Candidate
    plan: Plan
    scores: tuple[CandidateScore, ...]

    def __repr__(self) -> str:
        asked = self.best.objective
        return (
            f"Selection(k={self.best.k}, gamma={asked.gamma}, cost={asked.cost}, "
            f"k_pi={self.best.k_pi}, lookup={self.best.lookup!r}, the best of "
            f"{len(self.scores):,} candidates)"
        )

    def policy(self) -> Policy:
        """Return the chosen policy."""
        return self.plan.policy(k=self.best.k_pi, lookup=self.best.lookup)


@known_keywords
def select(
    data: Transitions,
    candidates: Sequence[Candidate] | None = None,
    budget: int = 1,
    env: EnvironmentSource | None = None,
    *,
    gamma: float = 0.99,
    horizon: int | None = None,
    estimates: Sequence[str] = ESTIMATES,
    episodes: int = 100,
    seed: int = 0,
    show_progress: bool | None = None,
) -> Selection:
    """Choose the candidate that promises most, from the data alone or with few evaluations.

    Args:
        data: the transitions; two episodes at least.
        candidates: None takes `candidate_grid()`.
        budget: N_e, candidates that may be evaluated in the environment; 1 needs none.
        env: the environment, for a budget above 1.
        gamma: discount by which all candidates are judged. Judge by what will count: where
            that is the plain return of T steps, gamma = 1 - 1 / T with horizon = T tells
            candidates apart that 0.99 cannot.
        horizon: steps of a simulated episode at most; None: until 1 % of the weight is left.
        estimates: what to compute beside the simulation; "cross_fitted" is always computed
            where there is no simulation.
        episodes: per evaluation in the environment.
        seed: of splits, simulations and evaluations.
        show_progress: force the bar on or off; None shows it on a terminal.
    """
    candidates = _checked_candidates(candidates)
    instance("data", data, Transitions, "Transitions")
    if data.num_episodes < 2:
        raise InputError("data", "of at least two episodes", data.num_episodes)
    budget = whole_number("budget", budget)
    if env is None and budget > 1:
        raise InputError("env", "given for a budget above 1", env, "Or choose with budget=1.")
    if env is not None:
        maker(env)
    gamma = number("gamma", gamma, least=0.0, below=1.0)
    horizon = optional(whole_number, "horizon", horizon)
    episodes, seed = whole_number("episodes", episodes), seed_number(seed)
    optional(flag, "show_progress", show_progress)
    judge = _Judge(data, gamma, horizon, _checked_estimates(estimates), seed)
    with progress("candidates", len(candidates), show=show_progress) as advance:
        scored = []
        for group in by_encoder(candidates):
            for score in judge.scores(group):
                scored.append(score)
                advance(1)
    order = sorted(scored, key=lambda s: -s.score)
    if budget > 1 and env is not None:
        order = [
            replace(s, online=judge.play(s.candidate, env, episodes)) if place < budget else s
            for place, s in enumerate(order)
        ]
        best = max(order[:budget], key=lambda s: s.online.mean if s.online else -np.inf)
    else:
        best = order[0]
    return Selection(best.candidate, judge.plan(best.candidate), tuple(order))


@dataclass(frozen=True, eq=False)
class _Half:
    """Half of the episodes.

    Attributes:
        rows: [H] int64, its transitions.
        mdp: compiled from them, to plan on.
        other: the starts of the other half, to be judged in.
    """

    rows: Int64
    mdp: DacMdp
    other: Starts

    def question(self, asked: Objective) -> Objective:
        """Return an objective of all the data as one of this half."""
        per_transition: dict[str, Any] = {
            name: np.asarray(given)[self.rows]
            for name in ("rewards", "action_mask")
            if (given := getattr(asked, name)) is not None and not callable(given)
        }
        return replace(
            asked, k=min(asked.k or self.mdp.graph.k, self.mdp.graph.k), **per_transition
        )

    def knows(self, asked: Objective) -> bool:
        """Whether this half has, for every state, an action that the objective allows."""
        model = pose(self.mdp, asked)
        available = model.allowed & (model.indices[:, :, 0] >= 0)
        return bool((available.any(axis=1) | model.terminal).all())


class _Judge:
    """Scores candidates; compiles each representation once per part of the data."""

    def __init__(
        self,
        data: Transitions,
        gamma: float,
        horizon: int | None,
        estimates: frozenset[str],
        seed: int,
    ) -> None:
        self._data, self._gamma, self._horizon, self._seed = data, gamma, horizon, seed
        self._compiled: list[tuple[Candidate, DacMdp]] = []
        pictures = is_image(data.observations)
        self._wanted = estimates | ({"cross_fitted"} if pictures else set())
        self._simulator = None if pictures else Simulator(data)
        first = np.array([episode.start for episode in data.episodes()])
        picks = np.random.default_rng(seed).choice(len(first), SIMULATED, len(first) < SIMULATED)
        self._starts = data.observations[first[picks]]
        self._worst = min(0.0, float(data.rewards.min()) / (1.0 - gamma))

    def scores(self, group: Sequence[Candidate]) -> Iterator[CandidateScore]:
        """Yield the scores of candidates that share a representation."""
        whole = self._compile(group, self._data, len(self._data))
        self._compiled += [(candidate, whole) for candidate in group]
        everywhere = start_states(whole)
        chances = behaviour_chances(whole) if "importance" in self._wanted else None
        halves = self._halves(group) if "cross_fitted" in self._wanted else []
        for alike in by_plan(group):
            policies = _policies(_planned(whole, alike[0].asked), alike)
            simulated = self._simulate(policies)
            crossed = [self._crossed(half, alike) for half in halves]
            for place, (candidate, policy) in enumerate(zip(alike, policies)):
                fitted = (
                    fitted_q_values(everywhere, policy, self._gamma)
                    if "fitted_q" in self._wanted
                    else None
                )
                yield CandidateScore(
                    candidate=candidate,
                    simulated=None if simulated is None else estimate(simulated[place]),
                    cross_fitted=_pooled([values[place] for values in crossed]),
                    fitted_q=None if fitted is None else estimate(fitted),
                    importance=None
                    if chances is None
                    else weighted_importance(
                        whole.transitions,
                        policy.act(whole.transitions.observations) == whole.transitions.actions,
                        chances,
                        self._gamma,
                    ),
                )

    def plan(self, candidate: Candidate) -> Plan:
        """Return the candidate's plan on all the data."""
        mdp = next(mdp for known, mdp in self._compiled if known is candidate)
        return _planned(mdp, candidate.asked)

    def play(self, candidate: Candidate, env: EnvironmentSource, episodes: int) -> EvaluationReport:
        """Return what the candidate earns in the environment."""
        policy = self.plan(candidate).policy(k=candidate.k_pi, lookup=candidate.lookup)
        return evaluate(policy, env, episodes, seed=self._seed, show_progress=False)

    def _compile(self, group: Sequence[Candidate], data: Transitions, most: int) -> DacMdp:
        k = min(most, max(candidate.k for candidate in group))
        return compile(
            data,
            k,
            group[0].encoder,  # type: ignore[arg-type]
            show_progress=False,
        )

    def _halves(self, group: Sequence[Candidate]) -> list[_Half]:
        """Return both halves of the episodes, each with the starts of the other."""
        rows = split_episodes(self._data, self._seed)
        parts = [self._data.subset(own) for own in rows]
        mdps = [self._compile(group, part, len(part)) for part in parts]
        return [
            _Half(rows[0], mdps[0], start_states(mdps[1])),
            _Half(rows[1], mdps[1], start_states(mdps[0])),
        ]

    def _crossed(self, half: _Half, alike: Sequence[Candidate]) -> list[Float64 | None]:
        """Return what candidates that share a plan, planned on one half, earn in the other."""
        asked = half.question(alike[0].asked)
        if not half.knows(asked):
            return [None] * len(alike)
        plan = _planned(half.mdp, asked)
        return [
            cross_fitted_values(half.other, policy, self._gamma)
            for policy in _policies(plan, alike)
        ]

    def _simulate(self, policies: Sequence[Policy]) -> Float64 | None:
        if self._simulator is None:
            return None
        return simulate(
            self._simulator,
            policies,
            self._starts,
            gamma=self._gamma,
            worst=self._worst,
            horizon=self._horizon,
            seed=self._seed,
        )


def split_episodes(data: Transitions, seed: int) -> tuple[Int64, Int64]:
    """Return the rows of two halves: whole episodes at random, transitions balanced."""
    episodes = list(data.episodes())
    halves: tuple[list[int], list[int]] = ([], [])
    sizes = [0, 0]
    for episode in np.random.default_rng(seed).permutation(len(episodes)):
        smaller = int(sizes[1] < sizes[0])
        halves[smaller].append(int(episode))
        sizes[smaller] += episodes[episode].stop - episodes[episode].start
    rows = [
        np.concatenate([np.arange(episodes[n].start, episodes[n].stop) for n in sorted(half)])
        for half in halves
    ]
    return rows[0], rows[1]


def _pooled(parts: Sequence[Float64 | None]) -> Estimate | None:
    """Return the estimate of several samples together; None where one of them is not known."""
    known = [part for part in parts if part is not None]
    return estimate(np.concatenate(known)) if known and len(known) == len(parts) else None


def _planned(mdp: DacMdp, asked: Objective) -> Plan:
    """Return the plan; Ctrl-C ends the selection, and no candidate is judged by half a plan."""
    plan = mdp.solve(asked)
    if plan.status == "interrupted":
        raise KeyboardInterrupt
    return plan


def _policies(plan: Plan, candidates: Sequence[Candidate]) -> list[Policy]:
    return [plan.policy(k=c.k_pi, lookup=c.lookup) for c in candidates]


def _checked_candidates(given: Sequence[Candidate] | None) -> tuple[Candidate, ...]:
    if given is None:
        return candidate_grid()
    candidates = several("candidates", given, "at least one Candidate", least=1)
    for candidate in candidates:
        instance("candidates", candidate, Candidate, "at least one Candidate")
    return candidates


def _checked_estimates(given: Sequence[str]) -> frozenset[str]:
    allowed = f"of {', '.join(ESTIMATES)}"
    estimates = several("estimates", given, allowed)
    if unknown := [name for name in estimates if name not in ESTIMATES]:
        raise InputError("estimates", allowed, shown(unknown[0]))
    return frozenset(estimates)
