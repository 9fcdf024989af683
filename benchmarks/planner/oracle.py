"""The equations once more, apart from the library: what plans are judged by.

`backup` is T of the compiled MDP in float64. Whoever made the values V, they are off by at
most |T V - V| / (1 - gamma); so the reference, a tight plan kept on disk, is not believed but
checked by one backup.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

import deepaveragers as da

from .questions import Question

OFFSET = 1e-5
TIGHTEST, LOOSEST = 1e-10, 1e-7
"""Tolerances of a reference: the first of these, in tenfold steps, that float64 can certify."""
ROUNDING = 1e-14
"""Rounding of one backup, relative to the largest value."""


@numba.njit(parallel=True, cache=True)
def _backup(
    indices: Any,
    distances: Any,
    rewards: Any,
    ended: Any,
    gamma: float,
    cost: float,
    slip: float,
    worst_case: float,
    values: Any,
    new: Any,
) -> None:
    size, actions, k = indices.shape
    for s in numba.prange(size):
        best, total = -np.inf, 0.0
        for a in range(actions):
            average, weight, worst = 0.0, 0.0, np.inf
            for j in range(k):
                successor, distance = indices[s, a, j], np.float64(distances[s, a, j])
                share = 1.0 / (distance + OFFSET)
                outcome = rewards[successor] - cost * distance + gamma * values[successor]
                average += share * outcome
                weight += share
                worst = min(worst, outcome)
            q = (1.0 - worst_case) * average / weight + worst_case * worst
            best = max(best, q)
            total += q
        new[s] = 0.0 if ended[s] else (1.0 - slip) * best + slip * total / actions


def backup(mdp: da.DacMdp, question: Question, values: np.ndarray) -> np.ndarray:
    """Return T V, [N] float64, of an MDP in which every action has all its neighbours."""
    data, graph = mdp.transitions, mdp.graph
    new = np.empty(len(values))
    arrays = graph.indices, graph.distances, data.rewards, data.terminations
    numbers = question.gamma, question.cost, question.slip, question.worst_case
    _backup(*(np.asarray(array) for array in arrays), *numbers, values, new)
    return new


def one_step(mdp: da.DacMdp, question: Question) -> float:
    """Return |T 0|, what tolerances are relative to."""
    return float(np.abs(backup(mdp, question, np.zeros(len(mdp)))).max())


@dataclass(frozen=True, eq=False)
class Reference:
    """Values [N] float64 that are known to be within `error` of the optimal ones."""

    values: np.ndarray
    error: float


def reference(mdp: da.DacMdp, question: Question, folder: Path) -> Reference:
    """Return the reference values, solved for now or before."""
    path = folder / f"{str(question).replace(', ', '-').replace(' ', '-')}.npy"
    if path.exists():
        values = np.load(path)
    else:
        values = np.array(_tight_plan(mdp, question).values)
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npy")
        np.save(part, values)
        part.replace(path)
    change = np.abs(backup(mdp, question, values) - values).max()
    rounding = ROUNDING * np.abs(values).max()
    return Reference(values, float((change + rounding) / (1.0 - question.gamma)))


def _tight_plan(mdp: da.DacMdp, question: Question) -> da.Plan:
    tolerance = TIGHTEST
    while tolerance < LOOSEST:
        try:
            return mdp.solve(**question.fields, tolerance=tolerance)
        except da.InputError:
            tolerance *= 10.0
    return mdp.solve(**question.fields, tolerance=LOOSEST)
