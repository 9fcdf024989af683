"""Returns of policies made from logs with continuous actions, by defaults or by `da.fit`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import deepaveragers as da

from .agents import Agent


@dataclass(frozen=True)
class Task:
    """Where data come from.

    Attributes:
        env: Gymnasium's id.
        agent: name of the file of the policy that collects; None: random actions.
        epsilon: chances of a random action, one drawn for each episode.
    """

    env: str
    agent: str | None = None
    epsilon: tuple[float, ...] = (0.0,)


TASKS = {
    "pendulum": Task("Pendulum-v1"),
    "mountaincar": Task(
        "MountainCarContinuous-v0", "mountaincarcontinuous-trpo", (0.0, 0.2, 0.4, 0.6, 0.8)
    ),
    "lunarlander": Task(
        "LunarLanderContinuous-v3", "lunarlandercontinuous-ppo", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    ),
}


@dataclass(frozen=True)
class Row:
    """One policy from one log.

    Attributes:
        seed: of the log.
        logged: mean return of its episodes.
        mean: return of the policy.
        interval: of it.
        seconds: to compile and solve, or to fit, of the wall clock.
        processor: the same, of all processors together.
        chosen: what `fit` chose; empty where nothing is chosen.
    """

    seed: int
    logged: float
    mean: float
    interval: tuple[float, float]
    seconds: float
    processor: float
    chosen: str = ""


def collected(task: Task, steps: int, seed: int, agents: Path | None) -> da.Transitions:
    """Return the log of a task."""
    if task.agent is None:
        return da.collect(task.env, steps, seed=seed, show_progress=False)
    if agents is None:
        raise SystemExit(f"{task.env} needs --agents DIRECTORY with {task.agent}.npz")
    agent = Agent(agents / f"{task.agent}.npz")
    return da.collect(task.env, steps, agent, epsilon=task.epsilon, seed=seed, show_progress=False)


def measured(
    name: str, steps: int, seeds: Sequence[int], episodes: int, agents: Path | None, *, fit: bool
) -> Iterator[Row]:
    """Yield one row per seed of the log; all policies play the same episodes.

    Args:
        name: of the task.
        steps: transitions of a log.
        seeds: of the logs.
        episodes: that a policy plays.
        agents: folder of policies that collect.
        fit: whether `da.fit` makes the policy; else the defaults do.
    """
    task = TASKS[name]
    for seed in seeds:
        data = collected(task, steps, seed, agents)
        began, worked = time.perf_counter(), time.process_time()
        policy, chosen = _fitted(data) if fit else (_planned(data), "")
        took = time.perf_counter() - began, time.process_time() - worked
        report = da.evaluate(policy, task.env, episodes, seed=0, show_progress=False)
        logged = float(np.mean(data.episode_returns()))
        yield Row(seed, logged, report.mean, report.interval, *took, chosen)


def _planned(data: da.Transitions) -> da.Policy:
    return da.compile(data, show_progress=False).solve(gamma=0.99).policy()


def _fitted(data: da.Transitions) -> tuple[da.Policy, str]:
    found = da.fit(data, gamma=0.99, show_progress=False)
    return found.policy, f"{found.candidate}, shown to be better: {found.shown}"
