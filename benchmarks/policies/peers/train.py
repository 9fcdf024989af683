"""Trains one of d3rlpy's discrete learners on a log, in d3rlpy's own environment.

    PEERS_PYTHON train.py LOG.npz FOLDER ALGORITHM STEPS SEED

Reads plain arrays, writes the greedy policy as TorchScript (policy.pt) and report.json. Knows
nothing of deepaveragers. d3rlpy's defaults but for what is meant for a million frames of Atari:
learning rate, batch size, and how often the target is copied are those of `da.train_dqn`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import d3rlpy
import numpy as np
import torch

ALGORITHMS = {
    "cql": d3rlpy.algos.DiscreteCQLConfig,
    "bcq": d3rlpy.algos.DiscreteBCQConfig,
    "ddqn": d3rlpy.algos.DoubleDQNConfig,
    "bc": d3rlpy.algos.DiscreteBCConfig,
}
BATCH, RATE, TARGET_EVERY, GAMMA = 64, 5e-4, 500, 0.99
FILTERS = [[32, 5, 2], [64, 3, 2], [64, 3, 1]]
"""Channels, width and stride of the convolutions: d3rlpy's own need 84 x 84 pixels."""


def main(log: str, folder: str, algorithm: str, steps: str, seed: str) -> None:
    """Train, and write what came of it."""
    torch.set_num_threads(1)
    d3rlpy.seed(int(seed))
    with np.load(log, allow_pickle=False) as arrays:
        data = dict(arrays)
    learner = _config(algorithm, data["observations"].ndim > 2).create(device="cpu:0")
    began = time.process_time()
    learner.fit(
        _dataset(data),
        n_steps=int(steps),
        n_steps_per_epoch=int(steps),
        show_progress=False,
        logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
    )
    seconds = time.process_time() - began
    predicted = None
    if algorithm != "bc":
        starts = data["starts"]
        predicted = float(np.mean(learner.predict_value(starts, learner.predict(starts))))
    learner.save_policy(str(Path(folder) / "policy.pt"))
    report = {"seconds": seconds, "predicted": predicted, "d3rlpy": d3rlpy.__version__}
    (Path(folder) / "report.json").write_text(json.dumps(report))


def _config(algorithm: str, pictures: bool) -> Any:
    shared: dict[str, Any] = {"batch_size": BATCH, "learning_rate": RATE, "gamma": GAMMA}
    if algorithm != "bc":
        shared["target_update_interval"] = TARGET_EVERY
    if pictures:
        shared["observation_scaler"] = d3rlpy.preprocessing.PixelObservationScaler()
        shared["encoder_factory"] = d3rlpy.models.PixelEncoderFactory(filters=FILTERS)
    else:
        shared["observation_scaler"] = d3rlpy.preprocessing.StandardObservationScaler()
    return ALGORITHMS[algorithm](**shared)


def _dataset(data: dict[str, Any]) -> Any:
    return d3rlpy.dataset.MDPDataset(
        observations=data["observations"],
        actions=data["actions"],
        rewards=data["rewards"],
        terminals=data["terminations"],
        timeouts=data["truncations"],
        action_space=d3rlpy.ActionSpace.DISCRETE,
        action_size=int(data["num_actions"]),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
