"""Small MDPs written out state by state, solved without any code of the package."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.mdp.problem import pose
from deepaveragers.neighbors.graph import NeighborGraph, SearchReport


def make_mdp(indices: Any, distances: Any, rewards: Any, terminations: Any) -> da.DacMdp:
    """Return a compiled MDP with exactly this graph."""
    indices = np.asarray(indices, np.int32)
    size, actions, _ = indices.shape
    positions = np.arange(size, dtype=float)[:, None] / size
    data = da.Transitions(
        observations=positions,
        actions=np.arange(size) % actions,
        rewards=rewards,
        next_observations=positions + 1.0 / size,
        terminations=terminations,
        action_names=[f"act{a}" for a in range(actions)],
    )
    graph = NeighborGraph(indices, np.asarray(distances, np.float32), SearchReport("by hand"))
    encoder = da.Identity().fit(data.observations)
    return da.DacMdp(data, encoder, data.observations, data.next_observations, graph)


def random_mdp(seed: int, size: int, actions: int, k: int, kind: str = "plain") -> da.DacMdp:
    """Return a random MDP; `kind` names what is special about it."""
    rng = np.random.default_rng(seed)
    indices = rng.integers(0, size, (size, actions, k))
    if kind == "chains":
        indices[:, 0, 0] = np.minimum(np.arange(size) + 1, size - 1)
    if kind == "duplicates":
        indices[size // 2 :] = indices[: size - size // 2]
    distances = np.sort(rng.exponential(0.5, (size, actions, k)), axis=2)
    distances[rng.random((size, actions)) < 0.3, 0] = 0.0
    if kind == "missing":
        missing = np.sort(rng.random((size, actions, k)) < 0.4, axis=2)
        missing[np.arange(size), rng.integers(0, actions, size), 0] = False
        missing = np.maximum.accumulate(missing, axis=2)
        indices[missing], distances[missing] = -1, np.inf
    rewards = rng.normal(size=size) * 10.0 ** rng.integers(-3, 4)
    if kind == "negative":
        rewards = -np.abs(rewards)
    terminations = rng.random(size) < (0.5 if kind == "terminal" else 0.1)
    if kind == "endless":
        terminations[:] = False
    return make_mdp(indices, distances, rewards, terminations)


KINDS = ("plain", "chains", "duplicates", "missing", "negative", "terminal", "endless")


@st.composite
def mdps(draw: Any, largest: int = 30) -> da.DacMdp:
    """Random MDPs of all kinds."""
    return random_mdp(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(2, largest)),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 5)),
        draw(st.sampled_from(KINDS)),
    )


GAMMAS = st.sampled_from([0.0, 0.3, 0.9, 0.99, 0.999, 0.9999])


class Explicit:
    """One objective on one MDP as a table: for every (s, a), [(share, reward, successor)]."""

    def __init__(self, mdp: da.DacMdp, objective: da.Objective) -> None:
        data, graph = mdp.transitions, mdp.graph
        self.gamma, self.slip, self.worst = objective.gamma, objective.slip, objective.worst_case
        self.ended = np.asarray(data.terminations)
        self.size, self.actions = len(data), data.num_actions
        rewards = data.rewards if objective.rewards is None else np.asarray(objective.rewards)
        box = mdp.core_features.max(axis=0) - mdp.core_features.min(axis=0)
        k = objective.k or graph.k
        cost = pose(mdp, replace(objective, k=None)).cost
        penalties = objective.action_penalties
        self.table: list[dict[int, list[tuple[float, float, int]]]] = []
        for s in range(self.size):
            row = {}
            for a in range(self.actions):
                near = [
                    (float(d), int(i))
                    for i, d in zip(graph.indices[s, a, :k], graph.distances[s, a, :k])
                    if i >= 0
                ]
                forbidden = a in objective.forbidden_actions
                masked = objective.action_mask is not None and not objective.action_mask[s][a]
                if not near or forbidden or masked or self.ended[s]:
                    continue
                uniform = objective.weighting == "uniform"
                shares = np.array([1.0 if uniform else 1.0 / (d + 1e-5) for d, _ in near])
                shares /= shares.sum()
                price = cost
                if objective.penalty == "adaptive":
                    price = max(0.0, max(rewards[i] for _, i in near)) / np.linalg.norm(box)
                fee = 0.0 if penalties is None else penalties[a]
                row[a] = [
                    (share, rewards[i] - price * d - fee, i) for share, (d, i) in zip(shares, near)
                ]
            self.table.append(row)

    def q_values(self, values: np.ndarray) -> list[dict[int, float]]:
        result = []
        for row in self.table:
            q = {}
            for a, outcomes in row.items():
                gains = [reward + self.gamma * values[i] for _, reward, i in outcomes]
                mean = sum(share * g for (share, _, _), g in zip(outcomes, gains))
                q[a] = (1 - self.worst) * mean + self.worst * min(gains)
            result.append(q)
        return result

    def backup(self, values: np.ndarray) -> np.ndarray:
        new = np.zeros(self.size)
        for s, q in enumerate(self.q_values(values)):
            if q:
                new[s] = (1 - self.slip) * max(q.values())
                new[s] += self.slip * sum(q.values()) / len(q)
        return new

    def evaluate(self, policy: np.ndarray) -> np.ndarray:
        """Return the exact values of probabilities [N, A] by a linear solve."""
        matrix, right = np.eye(self.size), np.zeros(self.size)
        for s, row in enumerate(self.table):
            for a, outcomes in row.items():
                for share, reward, i in outcomes:
                    right[s] += policy[s, a] * share * reward
                    matrix[s, i] -= policy[s, a] * self.gamma * share
        return np.linalg.solve(matrix, right)

    def optimum(self) -> np.ndarray:
        """Return V* by policy iteration, or by value iteration against the worst case."""
        if self.worst > 0.0:
            values = np.zeros(self.size)
            for _ in range(100_000):
                new = self.backup(values)
                if np.abs(new - values).max() <= 1e-15 * np.abs(new).max():
                    break
                values = new
            return new
        chosen = [next(iter(row), 0) for row in self.table]
        for _ in range(1000):
            policy = np.zeros((self.size, self.actions))
            for s, row in enumerate(self.table):
                for a in row:
                    policy[s, a] = self.slip / len(row) + (a == chosen[s]) * (1 - self.slip)
            values = self.evaluate(policy)
            changed = False
            for s, q in enumerate(self.q_values(values)):
                if q:
                    best = max(q, key=lambda a: q[a])
                    if q[best] > q[chosen[s]] + 1e-10 * (1 + abs(q[best])):
                        chosen[s], changed = best, True
            if not changed:
                return values
        raise AssertionError("policy iteration did not end")
