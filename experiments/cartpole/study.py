"""Runs the study: each bag is compiled once, and asked for every setting.

At C = 0 most actions are tied, and which one has the largest number is rounding: two planners,
or two tolerances, make different policies of it. So Q-values that the certificate cannot tell
apart count as equal, and one of them is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

import deepaveragers as da

from .agent import ENVIRONMENT
from .bags import BAGS, Bags
from .grid import LARGEST_K, Setting
from .results import Results, Row, commit, hardware

ENCODERS = {"identity": da.Identity, "standardize": da.Standardize}
EPSILONS = {"identity": (0.0, 0.1), "standardize": (0.0,)}
"""How policies are played: greedy and, with the paper's raw features, epsilon-greedy."""
GAMMA = 0.99
TOLERANCE = 1e-9
"""So small that everywhere but at ties the order of the actions is certified."""


@dataclass(frozen=True)
class Scope:
    """How much is run.

    Attributes:
        sizes: of the bags.
        seeds: of the data and the episodes.
        episodes: per evaluation.
        settings: what to plan and act with.
        encoders: representations by name.
        command: what was typed, for the record.
    """

    sizes: Sequence[int]
    seeds: Sequence[int]
    episodes: int
    settings: Sequence[Setting]
    encoders: Sequence[str]
    command: str


class FairTies:
    """Acts by a policy; among actions that its plan cannot tell apart, at random.

    Args:
        policy: the policy.
        seed: of the draws.
    """

    def __init__(self, policy: da.Policy, seed: int) -> None:
        self._policy, self._random = policy, np.random.default_rng(seed)

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Return one action per observation."""
        q_values = self._policy.q_values(observations)
        best = q_values.max(axis=1, keepdims=True)
        tied = q_values >= best - 2.0 * self._policy.plan.error
        return np.where(tied, self._random.random(q_values.shape), -1.0).argmax(axis=1)


def run(scope: Scope, bags: Bags, results: Results) -> None:
    """Compute every row that is missing."""
    kinds = list(product(scope.encoders, scope.sizes))
    # The paper's own features, smallest and largest bag first: a run may be stopped.
    kinds.sort(key=lambda kind: (kind[1] == 50_000, kind[0] != "identity"))
    studies = list(product(kinds, scope.seeds, BAGS))
    began, origin = time.perf_counter(), (scope.command, commit(), hardware())
    for number, ((encoder, size), seed, bag) in enumerate(studies):
        about = (bag, size, encoder, seed)
        missing = [
            (setting, epsilon)
            for setting, epsilon in product(scope.settings, EPSILONS[encoder])
            if (*about, *asdict(setting).values(), epsilon) not in results
        ]
        if not missing:
            continue
        for row in _rows(about, missing, scope.episodes, bags.get(bag, size, seed), origin):
            results.add(row)
        minutes = (time.perf_counter() - began) / 60.0
        done = f"{number + 1}/{len(studies)} {encoder} {size:,} {bag} {seed}"
        print(f"{done}: {minutes:.1f} min", flush=True)


def _rows(about, missing, episodes: int, data: da.Transitions, origin) -> Iterator[Row]:
    mdp = da.compile(data, k=LARGEST_K, encoder=ENCODERS[about[2]]())
    behaviour = float(data.episode_returns().mean())
    plan: da.Plan | None = None
    policy: da.Policy | None = None
    for setting, epsilon in missing:
        began = time.perf_counter()
        objective = da.Objective(
            gamma=GAMMA, cost=setting.cost, k=setting.k, weighting=setting.weighting
        )
        if plan is None or plan.objective != objective:
            plan, policy = mdp.solve(objective, tolerance=TOLERANCE), None
        if policy is None or (policy.k, policy.lookup) != (setting.k_pi, setting.lookup):
            policy = plan.policy(k=setting.k_pi, lookup=setting.lookup)
        seed = 1000 + about[3]
        actor = FairTies(policy, seed)
        report = da.evaluate(actor, ENVIRONMENT, episodes, seed=seed, epsilon=epsilon)
        yield Row(
            *about,
            **asdict(setting),
            epsilon=epsilon,
            episodes=episodes,
            mean_return=round(report.mean, 2),
            deviation=round(float(report.returns.std(ddof=1)), 2),
            certified_error=float(f"{plan.error:.2g}"),
            behaviour=round(behaviour, 1),
            seconds=round(time.perf_counter() - began, 2),
            command=origin[0],
            commit=origin[1],
            hardware=origin[2],
        )
