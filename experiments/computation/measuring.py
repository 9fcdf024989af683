"""Measuring in processor seconds, which other work on the machine changes little."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import deepaveragers as da

from ..atari.frames import FrameData
from ..candidates import K

GAMMA, COST = 0.99, 1.0
DIMENSIONS = 64
WARM_UP = 10
"""Updates, and transitions, for what happens once: loading and compiling code."""
REPEATS = 3
Made = TypeVar("Made")


def measure(data: FrameData, updates: int) -> dict[str, Any]:
    """Return processor seconds of every step, by name.

    Args:
        data: pictures of a game.
        updates: of DQN and BCQ that are timed.
    """
    encoder = da.RandomNetwork(dimensions=DIMENSIONS, seed=0).fit(data.observations[:1])
    stacks, now, later = data.distinct()
    encoder.encode(stacks[:WARM_UP])
    features, encode = _timed(lambda: encoder.encode(stacks))
    rows = _transitions(data, features, now, later)
    _prepare(rows)
    mdp, search = _timed(lambda: da.compile(rows, K, da.Identity()))
    plan, first = _timed(lambda: mdp.solve(gamma=GAMMA, cost=COST))
    further = {
        name: _median(lambda objective=objective: mdp.solve(objective, start=plan))
        for name, objective in _objectives(rows).items()
    }
    return {
        "game": data.about["game"],
        "transitions": len(data),
        "actions": data.num_actions,
        "encode": encode,
        "search": search,
        "first plan": first,
        "further objectives": further,
        "seconds an update": {
            name: _update(train, data, updates)
            for name, train in (("DQN", da.train_dqn), ("BCQ", da.train_bcq))
        },
        "updates timed": updates,
    }


def _objectives(rows: da.Transitions) -> dict[str, da.Objective]:
    """Return what may be asked after the first plan: the paper's secondary objectives."""
    return {
        "shorter horizon, gamma .95": da.Objective(gamma=0.95, cost=COST),
        "another cost, C = 100": da.Objective(gamma=GAMMA, cost=100.0),
        "an action forbidden": da.Objective(
            gamma=GAMMA, cost=COST, forbidden_actions=(rows.action_names[-1],)
        ),
        "slip .1": da.Objective(gamma=GAMMA, cost=COST, slip=0.1),
        "other rewards": da.Objective(
            gamma=GAMMA, cost=COST, rewards=np.where(rows.rewards > 0.0, 0.5, 0.0)
        ),
    }


def _transitions(
    data: FrameData, features: np.ndarray, now: np.ndarray, later: np.ndarray
) -> da.Transitions:
    return da.Transitions(
        observations=features[now],
        actions=data.actions,
        rewards=np.clip(data.rewards, -1.0, 1.0),
        next_observations=features[later],
        terminations=data.terminations,
        truncations=data.truncations,
        action_names=tuple(data.about["action_names"]),
    )


def _prepare(rows: da.Transitions) -> None:
    """Compile and solve a few rows, so that kernels are compiled before the clock runs."""
    few = da.Transitions(
        observations=rows.observations[:2_000],
        actions=rows.actions[:2_000],
        rewards=rows.rewards[:2_000],
        next_observations=rows.next_observations[:2_000],
        terminations=rows.terminations[:2_000],
        action_names=rows.action_names,
    )
    mdp = da.compile(few, K, da.Identity())
    plan = mdp.solve(gamma=GAMMA, cost=COST)
    for objective in _objectives(few).values():
        mdp.solve(objective, start=plan)


def _update(train: Callable[..., Any], data: FrameData, updates: int) -> float:
    """Return the seconds of one update: those of a run, less those of a short one."""
    spent = [
        _timed(lambda steps=steps: train(data, steps, preset="atari"))[1]
        for steps in (WARM_UP, WARM_UP, WARM_UP + updates)
    ]
    return (spent[2] - spent[1]) / updates


def _median(work: Callable[[], object]) -> float:
    return float(np.median([_timed(work)[1] for _ in range(REPEATS)]))


def _timed(work: Callable[[], Made]) -> tuple[Made, float]:
    """Return what the work gave, and its processor seconds on all cores together."""
    began = time.process_time()
    made = work()
    return made, time.process_time() - began
