"""Candidates written out state by state from the equations, without any code of the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import deepaveragers as da


def random_rows(seed: int, size: int, columns: int = 2, whole: bool = False) -> da.Transitions:
    """Return transitions on a small grid: ties, copies and ends abound."""
    rng = np.random.default_rng(seed)
    states = rng.integers(-2, 3, (size, 2)).astype(float)
    later = states + rng.integers(-1, 2, (size, 2))
    follows = rng.random(size - 1) < 0.5
    states[1:][follows] = later[:-1][follows]
    actions = rng.integers(-2, 3, (size, columns)) / (1 if whole else 2)
    return da.Transitions(
        observations=states,
        actions=actions.astype(int) if whole else actions,
        rewards=rng.normal(size=size).round(2),
        next_observations=later,
        terminations=rng.random(size) < 0.25,
        action_names=[f"a{place}" for place in range(columns)],
    )


@dataclass
class Question:
    """What is asked, in plain numbers."""

    gamma: float = 0.9
    cost: float = 1.0
    m: int = 3
    k: int = 2
    landing: str = "change"
    uniform: bool = False
    slip: float = 0.0
    worst: float = 0.0
    forbidden: np.ndarray | None = None
    fees: np.ndarray | None = None
    rewards: np.ndarray | None = None
    mask: Any = None
    support: float = 0.0
    horizon: int | None = None
    noise: float = 0.0


@dataclass
class ExplicitCandidates:
    """One question on one dataset, with states as they are for features."""

    data: da.Transitions
    asked: Question
    rows: list[list[tuple[float, float, list[tuple[float, float, int]]]]] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = [
            [] if self.data.terminations[s] else self.choices(self.data.next_observations[s])
            for s in range(len(self.data))
        ]

    def choices(self, state: np.ndarray) -> list[tuple[float, float, list]]:
        """Return (transition, fixed part, [(share, distance, core state)]) of what may be done."""
        data, asked = self.data, self.asked
        size = len(data)
        gaps = [np.float32(np.linalg.norm(state - data.observations[i])) for i in range(size)]
        order = sorted(range(size), key=lambda i: (gaps[i], i))
        forbidden = np.zeros(size, bool) if asked.forbidden is None else asked.forbidden
        near = order[: asked.m]
        if all(forbidden[c] for c in near):
            near = [c for c in order if not forbidden[c]][: asked.m]
        allowed = [c for c in near if not forbidden[c]]
        if asked.mask is not None:
            allowed = [c for c in allowed if asked.mask(state[None], data.actions[c][None])[0]]
        if asked.support:
            allowed = self.supported(near, allowed)
        rewards = data.rewards if asked.rewards is None else asked.rewards
        fees = np.zeros(size) if asked.fees is None else asked.fees
        return [
            (c, rewards[c] - asked.cost * float(gaps[c]) - fees[c], self.outcomes(state, c))
            for c in allowed
        ]

    def supported(self, near: list[int], allowed: list[int]) -> list[int]:
        """Return the candidates that did what others did, too."""
        deviation = self.data.actions.std(axis=0)
        units = self.data.actions / np.where(deviation > 0, deviation, 1.0)
        counts = {
            c: sum(np.exp(-np.mean((units[c] - units[i]) ** 2) / 0.5) for i in near)
            for c in allowed
        }
        most = max(counts.values(), default=0.0)
        return [c for c in allowed if counts[c] >= self.asked.support * most - 1e-12]

    def outcomes(self, state: np.ndarray, c: int) -> list[tuple[float, float, int]]:
        """Return (share, distance, core state) of where a transition leads from a state."""
        data, asked = self.data, self.asked
        if data.terminations[c]:
            return []
        if asked.landing == "own":
            return [(1.0, 0.0, c)]
        point = state + data.next_observations[c] - data.observations[c]
        living = np.flatnonzero(~data.terminations)
        far = {i: np.float32(np.linalg.norm(point - data.next_observations[i])) for i in living}
        nearest = sorted(living, key=lambda i: (far[i], i))[: asked.k]
        weights = [1.0 if asked.uniform else 1.0 / (float(far[i]) + 1e-5) for i in nearest]
        return [
            (weight / sum(weights), float(far[i]), int(i))
            for weight, i in zip(weights, nearest, strict=True)
        ]

    def q_values(self, choices: list, values: np.ndarray) -> list[float]:
        """Return what each choice is worth."""
        asked, result = self.asked, []
        for _, fixed, outcomes in choices:
            gains = [asked.gamma * values[i] - asked.cost * e for _, e, i in outcomes] or [0.0]
            shares = [share for share, _, _ in outcomes] or [1.0]
            mean = sum(share * gain for share, gain in zip(shares, gains, strict=True))
            result.append(fixed + (1 - asked.worst) * mean + asked.worst * min(gains))
        return self.noised(choices, result) if asked.noise else result

    def noised(self, choices: list, worth: list[float]) -> list[float]:
        """Return what it is worth to want each choice, where another may be done."""
        data, result = self.data, []
        bounds = data.action_bounds
        low, high = (
            (data.actions.min(axis=0), data.actions.max(axis=0)) if bounds is None else bounds
        )
        width = np.where(high > low, high - low, 1.0)
        for wanted, _, _ in choices:
            gaps = [(data.actions[c] - data.actions[wanted]) / width for c, _, _ in choices]
            chances = [np.exp(-(gap @ gap) / (2 * self.asked.noise**2)) for gap in gaps]
            result.append(sum(p * q for p, q in zip(chances, worth, strict=True)) / sum(chances))
        return result

    def backup(self, values: np.ndarray) -> np.ndarray:
        """Return T V."""
        new = np.zeros(len(self.data))
        for s, choices in enumerate(self.rows):
            if choices:
                q = self.q_values(choices, values)
                new[s] = (1 - self.asked.slip) * max(q) + self.asked.slip * sum(q) / len(q)
        return new

    def optimal(self) -> np.ndarray:
        """Return V*, or that of the horizon."""
        values = np.zeros(len(self.data))
        steps = self.asked.horizon or int(np.ceil(np.log(1e-12) / np.log(self.asked.gamma + 1e-9)))
        for _ in range(min(steps + 1, 1200) if self.asked.horizon is None else steps):
            values = self.backup(values)
        return values
