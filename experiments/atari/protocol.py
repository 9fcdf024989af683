"""The protocols: the paper's whole, and one for a machine without a GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .games import GAMES, MAX_FRAMES, SIDE

GAMMA = 0.99
EPSILON = 0.001
"""Chance of a random action in evaluation (Table 3)."""
UNTRAINED = ("random", "dynamics")
"""Representations without a policy of their own, and without points of a curve."""
REWARD_CLIP = 1.0
"""Planning, like training, sees rewards in [-1, 1] (Table 1); evaluation counts the score."""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What is run.

    Attributes:
        games: names.
        behaviour: "scripted", or the file of a saved agent with {game} in it.
        agent_steps: for which a .zip that does not exist is trained online.
        transitions: size of each dataset.
        side: of a picture, in pixels.
        architecture: of all networks.
        updates: of DQN and BCQ.
        snapshot_every: updates between points of the curve.
        settings: changes to the paper's Table 3.
        dynamics: settings of `da.train_dynamics`; None leaves it out.
        num_candidates: N_e at most, at the end of training.
        curve_candidates: N_e at the snapshots before; 0 plays the networks only.
        curve_points: snapshots before the end at which there are plans; empty for all.
        own_candidates: of how many last snapshots the networks' best is judged; 0 leaves it out.
        random_dimensions: width of the random network's representation.
        search_episodes: by which a candidate is chosen.
        episodes: by which a policy is judged.
        max_frames: at which an episode is cut.
        seeds: of training.
        device: where the networks run.
    """

    games: tuple[str, ...]
    behaviour: str
    agent_steps: int = 10_000_000
    transitions: int
    side: int = SIDE
    architecture: Literal["auto", "nature_cnn", "small_cnn"] = "auto"
    updates: int
    snapshot_every: int
    settings: dict[str, Any] = field(default_factory=dict)
    dynamics: dict[str, Any] | None = None
    num_candidates: int = 6
    curve_candidates: int = 6
    curve_points: tuple[int, ...] = ()
    own_candidates: int = 0
    random_dimensions: int = 64
    search_episodes: int = 10
    episodes: int = 10
    max_frames: int = MAX_FRAMES
    seeds: tuple[int, ...] = (0,)
    device: str = "cpu"


PROTOCOLS = {
    "smoke": Protocol(
        games=("Pong",),
        behaviour="scripted",
        transitions=120,
        updates=4,
        snapshot_every=2,
        settings={"batch_size": 8},
        dynamics={"steps": 2, "batch_size": 8},
        num_candidates=1,
        curve_candidates=1,
        own_candidates=2,
        search_episodes=1,
        episodes=1,
        max_frames=40,
    ),
    "small": Protocol(
        games=("Pong", "Freeway"),
        behaviour="straight",
        transitions=50_000,
        updates=20_000,
        snapshot_every=10_000,
        settings={"target_every": 1_600, "learning_rate": 0.0003, "adam_epsilon": 1e-8},
        max_frames=20_000,
    ),
    "eight": Protocol(
        games=GAMES,
        behaviour="scripted",
        transitions=50_000,
        side=42,
        architecture="small_cnn",
        updates=10_000,
        snapshot_every=1_250,
        settings={
            "target_every": 800,
            "learning_rate": 0.0003,
            "adam_epsilon": 1e-8,
            "hidden": (128, 16),
        },
        dynamics={"steps": 1_000, "batch_size": 64, "hidden": (128,)},
        num_candidates=20,
        curve_candidates=6,
        curve_points=(2_500, 5_000),
        own_candidates=6,
        search_episodes=3,
        max_frames=2_000,
    ),
    "paper": Protocol(
        games=GAMES,
        behaviour="agents/{game}.zip",
        transitions=100_000,
        updates=100_000,
        snapshot_every=10_000,
        settings={"standardize_pictures": False},
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
        settings={"standardize_pictures": False},
        device="cuda",
    ),
}
"""'smoke' shows in a minute that everything is installed; 'eight' takes eight minutes a game on one
core, 'small' hours on two; 'paper' is Figures 3 and 4, 'paper-large' Figure 5."""


def snapshots(protocol: Protocol) -> list[int]:
    """Return the updates at which representations are kept, the last first."""
    return list(range(protocol.updates, 0, -protocol.snapshot_every))


def data_dir(runs: Path, game: str) -> Path:
    """Return where a game's dataset lies."""
    return runs / game / "data"


def training_dir(runs: Path, game: str, learner: str, seed: int) -> Path:
    """Return where a training run keeps its checkpoint, log and snapshots."""
    return runs / game / f"{learner}-{seed}"


def snapshot_file(runs: Path, game: str, learner: str, seed: int, updates: int) -> Path:
    """Return the file of an encoder; that of the random network has 0 updates."""
    return training_dir(runs, game, learner, seed) / f"encoder-{updates:08d}.safetensors"


def model_dir(runs: Path, game: str, learner: str, seed: int, updates: int) -> Path:
    """Return where the model that was compiled on an encoder lies."""
    return training_dir(runs, game, learner, seed) / f"model-{updates:08d}"
