"""Returns of policies from logs with continuous actions: by defaults, by `da.fit`, by peers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

import deepaveragers as da

from ..policies.peers.learning import Peers

GAMMA = 0.99
LEARNT: dict[str, tuple[str, ...]] = {
    "dynamics": ("change",),
    "outcomes": ("change", "return", "action"),
    "behavior": ("action",),
}
"""What representations that are learnt predict, by name."""


@dataclass(frozen=True)
class Row:
    """One policy from one log.

    Attributes:
        logged: mean return of its episodes, those cut at the end of the log included.
        whole: mean return of those that were not cut.
        returns: of the policy, one per episode.
        processor: seconds of processor time that the policy took.
        words: what else is to be said of it.
    """

    logged: float
    whole: float
    returns: tuple[float, ...]
    processor: float
    words: str = ""

    @property
    def mean(self) -> float:
        """Return of the policy."""
        return float(np.mean(self.returns))

    @property
    def interval(self) -> tuple[float, float]:
        """Of the mean, over the episodes."""
        return da.EvaluationReport(np.array(self.returns), np.zeros(0, np.int64), 0.0).interval


@dataclass(frozen=True)
class Made:
    """A policy, and how it came about.

    Attributes:
        policy: what acts.
        processor: seconds of processor time.
        words: what is to be said of it.
    """

    policy: Any
    processor: float
    words: str = ""


Method = Callable[[da.Transitions], Made]


def by_plan(support: float, encoder: str) -> Method:
    """Return how a plan makes a policy, all other settings by default.

    Args:
        support: of the plan.
        encoder: its representation: "columns", or one of `LEARNT`.
    """

    def made(data: da.Transitions) -> Made:
        began, learnt = time.process_time(), None
        if encoder in LEARNT:
            learnt = da.train_dynamics(data, predict=LEARNT[encoder], show_progress=False)
        mdp = da.compile(data, encoder=learnt, show_progress=False)
        policy = mdp.solve(gamma=GAMMA, support=support).policy()
        return Made(policy, time.process_time() - began, f"{encoder}, support {support:g}")

    return made


def by_fit(data: da.Transitions) -> Made:
    """Return the policy that `da.fit` chooses."""
    began = time.process_time()
    found = da.fit(data, gamma=GAMMA, show_progress=False)
    low, high = found.interval
    words = f"{found.candidate}, {found.better:+.4g} [{low:+.4g}, {high:+.4g}] by the log"
    return Made(found.policy, time.process_time() - began, words)


def by_peer(peers: Peers, algorithm: str, updates: int) -> Method:
    """Return how one of d3rlpy's learners makes a policy, by so many updates."""

    def made(data: da.Transitions) -> Made:
        learnt = peers.learn(data, algorithm, updates, seed=0)
        return Made(Acting(learnt.act), learnt.seconds)

    return made


@dataclass(frozen=True)
class Acting:
    """A function as a policy; bounds are kept by whoever plays it."""

    act: Callable[[Any], Any]


def measured(data: da.Transitions, env: str, episodes: int, method: Method) -> Row:
    """Return the row of one log; all policies play the same episodes.

    Args:
        data: the log.
        env: where it is from.
        episodes: that the policy plays.
        method: makes a policy of a log.
    """
    made = method(data)
    report = da.evaluate(made.policy, env, episodes, seed=0, show_progress=False)
    logged = float(np.mean(data.episode_returns()))
    returns = tuple(report.returns.tolist())
    return Row(logged, whole_mean(data, env), returns, made.processor, made.words)


def whole_mean(data: da.Transitions, env: str) -> float:
    """Return the mean return of the episodes that ended, or reached the environment's limit."""
    lengths = np.unique(data.episode_ids, return_counts=True)[1]
    last = np.cumsum(lengths) - 1
    limit = gym.spec(env).max_episode_steps
    whole = data.terminations[last] | (lengths == limit)
    return float(np.mean(data.episode_returns()[whole])) if whole.any() else float("nan")
