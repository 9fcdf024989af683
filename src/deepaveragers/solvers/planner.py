"""Plain value iteration with a certificate."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import DISTANCE_OFFSET, Objective
from .plan import Plan


def solve(mdp: DacMdp, objective: Objective, *, tolerance: float = 1e-3, **options: Any) -> Plan:
    """Return a certified plan."""
    began = time.perf_counter()
    k = objective.k or mdp.graph.k
    if k > mdp.graph.k:
        raise InputError("k", f"at most the compiled {mdp.graph.k}", k)
    if not tolerance > 0:
        raise InputError("tolerance", "a number > 0", tolerance)
    indices = np.maximum(mdp.graph.indices[:, :, :k], 0)
    distances = mdp.graph.distances[:, :, :k].astype(np.float64)
    there = np.isfinite(distances)
    distances = np.where(there, distances, 0.0)
    weights = (
        there / (distances + DISTANCE_OFFSET) if objective.weighting == "inverse" else 1.0 * there
    )
    total = weights.sum(axis=2, keepdims=True)
    weights = weights / np.where(total > 0, total, 1.0)
    rewards = (weights * (mdp.transitions.rewards[indices] - objective.cost * distances)).sum(
        axis=2
    )
    available = total[:, :, 0] > 0
    living = ~mdp.transitions.terminations
    scale = np.abs(rewards[available]).max() or 1.0
    values = np.zeros(len(mdp))
    gamma = objective.gamma
    allowed = tolerance * scale / (1 - gamma)
    sweeps = 0
    while True:
        q_values = rewards + gamma * np.einsum("nak,nak->na", weights, values[indices])
        q_values = np.where(available, q_values, -np.inf)
        q_values[~living] = 0.0
        new = np.where(living, q_values.max(axis=1), 0.0)
        change = new - values
        values = new
        sweeps += 1
        rounding = 1e-12 * (scale + np.abs(values).max())
        below = (gamma * max(0.0, -change.min()) + rounding) / (1 - gamma)
        above = (gamma * max(0.0, change.max()) + rounding) / (1 - gamma)
        if max(below, above) <= allowed:
            break
    return Plan(
        mdp=mdp,
        objective=objective,
        values=values,
        q_values=q_values,
        below=below,
        above=above,
        tolerance=tolerance,
        status="optimal",
        residual=float(np.abs(change).max()),
        sweeps=sweeps,
        seconds=time.perf_counter() - began,
    )
