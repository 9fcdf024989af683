"""Training the representations on a game's dataset."""

from __future__ import annotations

from pathlib import Path

import deepaveragers as da

from .frames import FrameData
from .protocol import Protocol, data_dir, training_dir


def train(protocol: Protocol, runs: Path, game: str, learner: str, seed: int) -> None:
    """Train to the protocol's number of updates; a run that was stopped goes on."""
    data = FrameData.open(data_dir(runs, game))
    learn = {"dqn": da.train_dqn, "bcq": da.train_bcq}[learner]
    learn(
        data,
        protocol.updates,
        preset="atari",
        seed=seed,
        run_dir=training_dir(runs, game, learner, seed),
        checkpoint_every=500,
        snapshot_every=protocol.snapshot_every,
        device=protocol.device,
        **protocol.settings,
    )
