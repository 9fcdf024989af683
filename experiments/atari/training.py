"""Training the representations on a game's dataset."""

from __future__ import annotations

from pathlib import Path

import deepaveragers as da

from .frames import FrameData
from .protocol import Protocol, data_dir, snapshot_file, training_dir


def train(protocol: Protocol, runs: Path, game: str, learner: str, seed: int) -> None:
    """Train to the protocol's number of updates; a run that was stopped goes on.

    A run that has gone further already is left as it is: its snapshot is the same.
    """
    data = FrameData.open(data_dir(runs, game))
    if learner == "dynamics":
        file = snapshot_file(runs, game, learner, seed, 0)
        if protocol.dynamics is not None and not file.exists():
            settings = {
                **protocol.dynamics,
                "architecture": protocol.architecture,
                "device": protocol.device,
            }
            file.parent.mkdir(parents=True, exist_ok=True)
            da.save_encoder(da.train_dynamics(data.transitions(), seed=seed, **settings), file)
        return
    if snapshot_file(runs, game, learner, seed, protocol.updates).exists():
        return
    learn = {"dqn": da.train_dqn, "bcq": da.train_bcq}[learner]
    learn(
        data,
        protocol.updates,
        preset="atari",
        architecture=protocol.architecture,
        seed=seed,
        run_dir=training_dir(runs, game, learner, seed),
        checkpoint_every=500,
        snapshot_every=protocol.snapshot_every,
        device=protocol.device,
        **protocol.settings,
    )
