"""The protocols: the paper's whole, and one for a machine without a GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Literal

from .games import GAMES, MAX_FRAMES

Learner = Literal["dqn", "bcq"]
K = 5
GAMMA = 0.99
EPSILON = 0.001
"""Chance of a random action in evaluation (Table 3)."""
COSTS = {1: (1.0,), 6: (1.0, 100.0, 1e6), 20: (1.0, 10.0, 100.0, 1000.0, 1e6)}
LOOKUPS = {1: (11,), 6: (11, 51), 20: (5, 11, 31, 51)}


@dataclass(frozen=True)
class Candidate:
    """One of the N_e policies that may be tried in the game: a cost C and a k_pi."""

    cost: float
    lookup: int


def candidates(count: int) -> list[Candidate]:
    """Return the paper's candidates for N_e = 1, 6 or 20."""
    return [Candidate(*pair) for pair in product(COSTS[count], LOOKUPS[count])]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What is run.

    Attributes:
        games: names.
        behaviour: "scripted", or the file of a saved agent with {game} in it.
        transitions: size of each dataset.
        updates: of DQN and BCQ.
        snapshot_every: updates between points of the curve.
        settings: changes to the paper's Table 3.
        num_candidates: N_e at most.
        episodes: played by each policy.
        max_frames: at which an episode is cut.
        seeds: of training.
        device: where the networks run.
    """

    games: tuple[str, ...]
    behaviour: str
    transitions: int
    updates: int
    snapshot_every: int
    settings: dict[str, Any] = field(default_factory=dict)
    num_candidates: int = 6
    episodes: int = 10
    max_frames: int = MAX_FRAMES
    seeds: tuple[int, ...] = (0,)
    device: str = "cpu"


PROTOCOLS = {
    "small": Protocol(
        games=("Pong", "Freeway"),
        behaviour="scripted",
        transitions=50_000,
        updates=20_000,
        snapshot_every=5_000,
        settings={"target_every": 1_600},
        max_frames=20_000,
    ),
    "paper": Protocol(
        games=GAMES,
        behaviour="agents/{game}.zip",
        transitions=100_000,
        updates=100_000,
        snapshot_every=10_000,
        num_candidates=20,
        seeds=(0, 1, 2),
        device="cuda",
    ),
    "paper-large": Protocol(
        games=GAMES,
        behaviour="agents/{game}.zip",
        transitions=2_500_000,
        updates=2_500_000,
        snapshot_every=2_500_000,
        device="cuda",
    ),
}
"""'small' runs in hours on two cores. 'paper' is Figures 3 and 4, 'paper-large' Figure 5."""


def data_dir(runs: Path, game: str) -> Path:
    """Return where a game's dataset lies."""
    return runs / game / "data"


def training_dir(runs: Path, game: str, learner: str, seed: int) -> Path:
    """Return where a training run keeps its checkpoint, log and snapshots."""
    return runs / game / f"{learner}-{seed}"
