"""The policies that are served, and what is asked of them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

COLUMNS = ("position", "speed", "angle", "load")
ACTIONS = ("low", "middle", "high")
EPISODE_STEPS = 200
JSON = {"Content-Type": "application/json"}
RAW = {"Content-Type": "application/octet-stream", "Accept": "application/octet-stream"}


def log_of(states: int, seed: int = 0) -> da.Transitions:
    """Return a log of four numbers that wander, with three actions."""
    random = np.random.default_rng(seed)
    steps = np.cumsum(0.1 * random.normal(size=(states + 1, len(COLUMNS))), axis=0)
    rows = (np.sin(steps) + 0.1 * random.normal(size=steps.shape)).astype(np.float32)
    return da.Transitions(
        observations=rows[:-1],
        actions=random.integers(0, len(ACTIONS), states),
        rewards=rows[:-1, 0],
        next_observations=rows[1:],
        terminations=np.arange(states) % EPISODE_STEPS == EPISODE_STEPS - 1,
        episode_ids=np.arange(states) // EPISODE_STEPS,
        observation_names=COLUMNS,
        action_names=ACTIONS,
    )


def policies(states: int, gammas: tuple[float, ...] = (0.95,)) -> list[da.Policy]:
    """Return policies of one model that differ in their discount."""
    mdp = da.compile(log_of(states), k=5)
    return [mdp.solve(gamma=gamma).policy() for gamma in gammas]


def policy_at(path: Path, states: int) -> Path:
    """Save a policy, unless it is there."""
    if not path.exists():
        da.save(policies(states)[0], path)
    return path


def observations(count: int, seed: int = 1) -> Any:
    """Return observations [count, 4] like those of the log."""
    numbers = 0.7 * np.random.default_rng(seed).normal(size=(count, len(COLUMNS)))
    return numbers.astype(np.float32)


def single_bodies(rows: Any) -> list[str]:
    """Return the bodies of single requests, by name."""
    return [
        encoded(json.dumps({"observation": dict(zip(COLUMNS, row.tolist()))}).encode())
        for row in rows
    ]


def encoded(body: bytes) -> str:
    """Return a body as the generator takes it."""
    return base64.b64encode(body).decode()
