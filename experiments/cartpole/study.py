"""Runs the study: each bag is compiled once, and asked for every setting."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product

import deepaveragers as da

from .agent import ENVIRONMENT
from .bags import BAGS, Bags
from .grid import LARGEST_K, Setting
from .results import Results, Row, commit, hardware

ENCODERS = {"identity": da.Identity, "standardize": da.Standardize}
EPSILONS = {"identity": (0.0, 0.1), "standardize": (0.0,)}
"""How policies are played: greedy and, with the paper's raw features, epsilon-greedy."""
GAMMA = 0.99
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Scope:
    """How much is run.

    Attributes:
        sizes: of the bags; the most telling first, as a run may be stopped.
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


def run(scope: Scope, bags: Bags, results: Results) -> None:
    """Compute every row that is missing."""
    studies = list(product(scope.seeds, scope.sizes, scope.encoders, BAGS))
    began, origin = time.perf_counter(), (scope.command, commit(), hardware())
    for number, (seed, size, encoder, bag) in enumerate(studies):
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
            # With one neighbour the MDP is deterministic, its chains long: sweeps are quicker.
            method = "value_iteration" if setting.k == 1 else "auto"
            plan, policy = mdp.solve(objective, tolerance=TOLERANCE, method=method), None
        if policy is None or (policy.k, policy.lookup) != (setting.k_pi, setting.lookup):
            policy = plan.policy(k=setting.k_pi, lookup=setting.lookup)
        seed = 1000 + about[3]
        report = da.evaluate(policy, ENVIRONMENT, episodes, seed=seed, epsilon=epsilon)
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
