"""Where data come from: environments, and the policies that log.

Of locomotion there are three kinds of logs besides that of the best agent. 'medium' is of a worse
one; 'medium-expert' half of it and half of the best one; each with 0 to 30 % random actions.
'mixed' is of all agents in equal parts, with 0 to 100 % random actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from .agents import Agent

SOME = (0.0, 0.1, 0.2, 0.3)
ANY = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
PART_SEEDS = 100
"""Between the seeds of the parts of a log."""
GAINS = {"doublependulum-lqr": (0.21, 1.81, 5.57, 0.0, 0.0, 0.31, 0.90, 0.85)}
"""Of linear controllers, by column of the observation. The linear-quadratic regulator of the
linearised double pendulum, costs 1, 10, 10, 0.1, 0.1, 0.1 of position, sines and velocities and 1
of the squared force; it keeps the pendulum up for the 1,000 steps of an episode (9,360)."""


@dataclass(frozen=True)
class Task:
    """Where data come from.

    Attributes:
        env: Gymnasium's id.
        agents: names of the files of the policies that collect, equal parts each; a name of
            `GAINS` is a linear controller; none: random actions.
        epsilon: chances of a random action, one drawn for each episode.
    """

    env: str
    agents: tuple[str, ...] = ()
    epsilon: tuple[float, ...] = (0.0,)


def _locomotion(env: str, medium: str, best: str, every: tuple[str, ...]) -> dict[str, Task]:
    name = env.partition("-")[0].lower()
    return {
        name: Task(env, (f"{name}-{best}",), SOME),
        f"{name}-medium": Task(env, (f"{name}-{medium}",), SOME),
        f"{name}-medium-expert": Task(env, (f"{name}-{medium}", f"{name}-{best}"), SOME),
        f"{name}-mixed": Task(env, tuple(f"{name}-{one}" for one in every), ANY),
    }


TASKS = {
    "pendulum": Task("Pendulum-v1"),
    "mountaincar": Task(
        "MountainCarContinuous-v0", ("mountaincarcontinuous-trpo",), (0.0, 0.2, 0.4, 0.6, 0.8)
    ),
    "lunarlander": Task("LunarLanderContinuous-v3", ("lunarlandercontinuous-ppo",), ANY),
    "doublependulum": Task(
        "InvertedDoublePendulum-v5", ("doublependulum-lqr",), (0.02, 0.05, 0.1, 0.2, 0.4)
    ),
    **_locomotion("Hopper-v5", "ppo", "trpo", ("a2c", "ppo", "trpo")),
    **_locomotion("HalfCheetah-v5", "a2c", "ppo", ("trpo", "a2c", "ppo")),
    **_locomotion("Walker2d-v5", "a2c", "trpo", ("a2c", "trpo")),
}


def log_of(name: str, steps: int, seed: int, agents: Path | None, kept: Path | None) -> Any:
    """Return the log of a task; from a folder, where it was kept there."""
    place = None if kept is None else kept / f"{name}.{steps}.{seed}"
    if place is not None and place.exists():
        return da.load(place)
    data = collected(TASKS[name], steps, seed, agents)
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        da.save(data, place)
    return data


def collected(task: Task, steps: int, seed: int, agents: Path | None) -> da.Transitions:
    """Return the log of a task."""
    if not task.agents:
        return da.collect(task.env, steps, seed=seed, show_progress=False)
    parts = [
        da.collect(
            task.env, steps // len(task.agents), _policy(task.env, name, agents),
            epsilon=task.epsilon, seed=seed + PART_SEEDS * place, show_progress=False,
        )
        for place, name in enumerate(task.agents)
    ]  # fmt: skip
    data = parts[0]
    for part in parts[1:]:
        data = da.append(data, part)
    return data


def _policy(env: str, name: str, agents: Path | None) -> Any:
    if name in GAINS:
        gains = np.array(GAINS[name])
        return lambda seen: -(seen[:, : len(gains)] @ gains)[:, None]
    if agents is None:
        raise SystemExit(f"{env} needs --agents DIRECTORY with {name}.npz")
    return Agent(agents / f"{name}.npz")
