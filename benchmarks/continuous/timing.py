"""How long it takes to compile, solve and re-plan a log with actions of 6 numbers."""

from __future__ import annotations

import resource
import time

import numpy as np

import deepaveragers as da

ACTION_COLUMNS = 6
LONGEST = 1_000
"""Steps of an episode."""


def walks(size: int, dimensions: int, seed: int = 0) -> da.Transitions:
    """Return episodes of a smooth system that random actions push around."""
    rng = np.random.default_rng(seed)
    drift = 0.1 * rng.normal(size=(dimensions, dimensions))
    push = 0.3 * rng.normal(size=(ACTION_COLUMNS, dimensions))
    length = min(LONGEST, max(1, size // 100))
    episodes = size // length
    states = np.empty((episodes, length + 1, dimensions), np.float32)
    actions = rng.uniform(-1.0, 1.0, (episodes, length, ACTION_COLUMNS)).astype(np.float32)
    states[:, 0] = rng.normal(size=(episodes, dimensions))
    for step in range(length):
        here = states[:, step]
        noise = 0.02 * rng.normal(size=here.shape)
        states[:, step + 1] = 0.95 * np.tanh(here + here @ drift + actions[:, step] @ push) + noise
    rows = episodes * length
    flat = actions.reshape(rows, ACTION_COLUMNS)
    observations = states[:, :-1].reshape(rows, dimensions)
    return da.Transitions(
        observations=observations,
        actions=flat,
        rewards=observations[:, 0] - 0.1 * np.square(flat).sum(axis=1),
        next_observations=states[:, 1:].reshape(rows, dimensions),
        terminations=np.zeros(rows, bool),
        truncations=np.arange(rows) % length == length - 1,
        episode_ids=np.arange(rows) // length,
    )


def timed(size: int, dimensions: int, candidates: int, landing: str) -> dict[str, float]:
    """Return seconds, and the process's peak in GB; kernels are compiled before."""
    options = {"candidates": candidates, "landing": landing, "show_progress": False}
    small = da.compile(walks(20_000, dimensions), **options)  # type: ignore[arg-type]
    small.solve(gamma=0.95, start=small.solve())
    data = walks(size, dimensions)
    found: dict[str, float] = {}
    began = time.perf_counter()
    model = da.compile(data, **options)  # type: ignore[arg-type]
    found["compile"] = time.perf_counter() - began
    questions: dict[str, dict[str, object]] = {
        "solve": {},
        "another discount": {"gamma": 0.95},
        "effort": {"action_penalties": {"0": 0.1}},
        "half an actuator": {"forbidden_actions": {"0": (0.5, None)}},
    }
    plans: list[da.Plan] = []
    for name, asked in questions.items():
        began = time.perf_counter()
        plans.append(model.solve(**asked))  # type: ignore[arg-type]
        found[name] = time.perf_counter() - began
    for name, asked in list(questions.items())[1:]:
        began = time.perf_counter()
        model.solve(start=plans[0], **asked)  # type: ignore[arg-type]
        found[f"{name}, from the first plan"] = time.perf_counter() - began
    found["peak GB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return found
