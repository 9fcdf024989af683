"""Models to open in the studio: `python -m benchmarks.studio.models cartpole OUTPUT`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import deepaveragers as da

NEIGHBORS = 5
PUSHES = np.array([[-0.1, 0], [0.1, 0], [0, -0.1], [0, 0.1]], dtype=np.float32)
WALK = 50
"""Steps of an episode of the puck."""


def cartpole(states: int = 100_000) -> da.DacMdp:
    """Return random play of CartPole, its columns named."""
    data = da.collect("CartPole-v1", steps=states, policy="random", seed=0)
    named = da.Transitions(
        observations=data.observations,
        actions=data.actions,
        rewards=data.rewards,
        next_observations=data.next_observations,
        terminations=data.terminations,
        truncations=data.truncations,
        episode_ids=data.episode_ids,
        action_names=("left", "right"),
        observation_names=("cart position", "cart velocity", "pole angle", "pole velocity"),
        observation_units=("m", "m/s", "rad", "rad/s"),
    )
    return da.compile(named, k=NEIGHBORS)


def pendulum(states: int = 100_000) -> da.DacMdp:
    """Return random play of Pendulum, whose action is a torque; its columns named."""
    data = da.collect("Pendulum-v1", steps=states, policy="random", seed=0)
    named = replace(
        data,
        action_names=("torque",),
        observation_names=("cos angle", "sin angle", "velocity"),
        observation_units=("", "", "rad/s"),
    )
    return da.compile(named, k=NEIGHBORS)


def puck(states: int = 1_000_000) -> da.DacMdp:
    """Return random pushes of a puck on a plane."""
    random = np.random.default_rng(1)
    episodes = states // WALK
    now = random.uniform(-1, 1, (episodes, 4)).astype(np.float32)
    walks: list[tuple[np.ndarray, ...]] = []
    for _ in range(WALK):
        actions = random.integers(0, 4, episodes)
        noise = random.normal(0, 0.02, (episodes, 2)).astype(np.float32)
        speed = 0.9 * now[:, 2:] + PUSHES[actions] + noise
        place = np.clip(now[:, :2] + 0.2 * speed, -1.5, 1.5)
        later = np.concatenate([place, speed], axis=1)
        walks.append((now, actions, -np.linalg.norm(place, axis=1), later))
        now = later
    now, actions, rewards, later = (
        np.stack(part, axis=1).reshape(-1, *part[0].shape[1:]) for part in zip(*walks, strict=True)
    )
    cut = np.arange(len(actions)) % WALK == WALK - 1
    data = da.Transitions(
        observations=now,
        actions=actions,
        rewards=rewards,
        next_observations=later,
        terminations=np.zeros(len(actions), dtype=bool),
        truncations=cut,
        episode_ids=np.arange(len(actions)) // WALK,
        action_names=("west", "east", "south", "north"),
        observation_names=("x", "y", "velocity x", "velocity y"),
    )
    return da.compile(data, k=NEIGHBORS)


MODELS: dict[str, Callable[[int], da.DacMdp]] = {
    "cartpole": cartpole,
    "pendulum": pendulum,
    "puck": puck,
}


def main() -> None:
    """Make a model and save it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=MODELS)
    parser.add_argument("output", type=Path)
    parser.add_argument("--states", type=int, default=100_000)
    asked = parser.parse_args()
    print(f"-> {da.save(MODELS[asked.name](asked.states), asked.output)}")


if __name__ == "__main__":
    main()
