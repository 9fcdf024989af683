"""The MDPs: compiled once by `da.compile`, kept in `runs/`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import deepaveragers as da

CACHE = Path("runs/benchmarks/planner")
DIMENSIONS, ACTIONS, STEPS, NEIGHBORS = 6, 6, 200, 5


def synthetic_transitions(size: int, seed: int = 0) -> da.Transitions:
    """Return random walks in a box with drift, six pushes, and one place worth being at."""
    rng = np.random.default_rng(seed)
    episodes = size // STEPS
    push = 0.15 * rng.normal(size=(ACTIONS, DIMENSIONS))
    state = rng.uniform(-1.0, 1.0, (episodes, DIMENSIONS))
    actions = rng.integers(0, ACTIONS, (episodes, STEPS))
    before = np.empty((episodes, STEPS, DIMENSIONS), np.float32)
    after = np.empty_like(before)
    for step in range(STEPS):
        before[:, step] = state
        state = state + push[actions[:, step]] + 0.05 * np.sin(3.0 * state[:, ::-1])
        state = np.clip(state + 0.02 * rng.normal(size=state.shape), -1.5, 1.5)
        after[:, step] = state
    ends = np.zeros((episodes, STEPS), bool)
    ends[:, -1] = rng.random(episodes) < 0.5
    cut = np.zeros_like(ends)
    cut[:, -1] = ~ends[:, -1]
    return da.Transitions(
        observations=before.reshape(-1, DIMENSIONS),
        actions=actions.ravel(),
        rewards=np.exp(-2.0 * ((after - 0.5) ** 2).sum(axis=2)).ravel(),
        next_observations=after.reshape(-1, DIMENSIONS),
        terminations=ends.ravel(),
        truncations=cut.ravel(),
        action_names=[f"push {a}" for a in range(ACTIONS)],
    )


def problem(name: str) -> da.DacMdp:
    """Return a compiled MDP by name: "cartpole 100k", or "synthetic" and a size."""
    path = CACHE / name.replace(" ", "-")
    if not path.exists():
        kind, size = name.split()
        steps = int(float(size.replace("k", "e3").replace("M", "e6")))
        if kind == "cartpole":
            data = da.collect("CartPole-v1", steps=steps, policy="random", seed=0)
            mdp = da.compile(data, k=NEIGHBORS)
        else:
            data = synthetic_transitions(steps)
            mdp = da.compile(data, k=NEIGHBORS, encoder=da.Identity(), neighbors="tree")
        path.parent.mkdir(parents=True, exist_ok=True)
        da.save(mdp, path)
    mdp = da.load(path)
    assert isinstance(mdp, da.DacMdp)
    return mdp


def build(*names: str) -> None:
    """Compile what is missing."""
    for name in names:
        mdp = problem(name)
        print(f"{name}: {mdp!r}, {mdp.graph.report.seconds:.1f} s", flush=True)
