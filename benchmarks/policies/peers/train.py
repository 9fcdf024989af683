"""Trains d3rlpy's learners on logs, in d3rlpy's own environment.

    PEERS_PYTHON train.py < requests

A request is a line of JSON: log, folder, algorithm, steps, seed. The log is a file of plain arrays;
the greedy policy is written as TorchScript (policy.pt) with report.json beside it; then a line says
'done'. Knows nothing of deepaveragers. d3rlpy's defaults but for what is meant for millions of
frames of Atari: learning rate, batch size, and how often the target is copied are those with which
`da.train_dqn` learns from vectors. Learners of actions that are rows have d3rlpy's defaults, and
observations and actions scaled as it recommends.
"""

from __future__ import annotations

import contextlib
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
ROW_ALGORITHMS = {
    "td3bc": d3rlpy.algos.TD3PlusBCConfig,
    "iql": d3rlpy.algos.IQLConfig,
    "cql": d3rlpy.algos.CQLConfig,
    "bc": d3rlpy.algos.BCConfig,
}
"""Where actions are rows."""
BATCH, RATE, TARGET_EVERY, GAMMA = 64, 5e-4, 500, 0.99
FILTERS = [[32, 5, 2], [64, 3, 2], [64, 3, 1]]
"""Channels, width and stride of the convolutions: d3rlpy's own need 84 x 84 pixels."""


class ArrayBuffer(d3rlpy.dataset.ReplayBuffer):
    """d3rlpy's replay buffer, whose batches are taken from arrays: the same, in less time."""

    def take_from(self, data: dict[str, Any]) -> None:
        """Draw batches from a log; as in d3rlpy, the last step of a cut episode is left out."""
        self._rows = np.flatnonzero(data["truncations"] == 0.0)
        self._arrays = data

    def sample_transition_batch(self, batch_size: int) -> d3rlpy.dataset.TransitionMiniBatch:
        """Return transitions drawn with replacement."""
        rows = self._rows[np.random.randint(len(self._rows), size=batch_size)]  # noqa: NPY002
        after = np.minimum(rows + 1, len(self._arrays["actions"]) - 1)
        ended = self._arrays["terminations"][rows][:, None]
        observations, actions = self._arrays["observations"], as_rows(self._arrays["actions"])
        goes_on = (1.0 - ended).reshape(-1, *(1,) * (observations.ndim - 1))
        return d3rlpy.dataset.TransitionMiniBatch(
            observations=observations[rows].astype(np.float32),
            actions=actions[rows].astype(np.float32),
            rewards=self._arrays["rewards"][rows][:, None],
            next_observations=(observations[after] * goes_on).astype(np.float32),
            next_actions=(actions[after] * (1.0 - ended)).astype(np.float32),
            terminals=ended,
            intervals=np.ones_like(ended),
            transitions=[],
        )


def as_rows(actions: Any) -> Any:
    """Return actions [N, 1] or [N, Da]."""
    return actions[:, None] if actions.ndim == 1 else actions


def train(log: str, folder: str, algorithm: str, steps: int, seed: int) -> None:
    """Train, and write what came of it."""
    d3rlpy.seed(seed)
    with np.load(log, allow_pickle=False) as arrays:
        data = dict(arrays)
    rows = data["actions"].ndim == 2
    config = _row_config(algorithm) if rows else _config(algorithm, data["observations"].ndim > 2)
    learner = config.create(device="cpu:0")
    buffer = _buffer(data)
    began = time.process_time()
    learner.fit(
        buffer,
        n_steps=steps,
        n_steps_per_epoch=steps,
        show_progress=False,
        logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
    )
    seconds = time.process_time() - began
    predicted = None
    if algorithm != "bc":
        starts = data["starts"]
        predicted = float(np.mean(learner.predict_value(starts, learner.predict(starts))))
    learner.save_policy(str(Path(folder) / "policy.pt"))
    (Path(folder) / "report.json").write_text(
        json.dumps({"seconds": seconds, "predicted": predicted})
    )


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


def _row_config(algorithm: str) -> Any:
    return ROW_ALGORITHMS[algorithm](
        **({} if algorithm == "bc" else {"gamma": GAMMA}),
        observation_scaler=d3rlpy.preprocessing.StandardObservationScaler(),
        action_scaler=d3rlpy.preprocessing.MinMaxActionScaler(),
    )


def _buffer(data: dict[str, Any]) -> ArrayBuffer:
    episodes = d3rlpy.dataset.EpisodeGenerator(
        observations=data["observations"],
        actions=as_rows(data["actions"]),
        rewards=data["rewards"][:, None],
        terminals=data["terminations"],
        timeouts=data["truncations"],
    )()
    rows = data["actions"].ndim == 2
    space = d3rlpy.ActionSpace.CONTINUOUS if rows else d3rlpy.ActionSpace.DISCRETE
    buffer = ArrayBuffer(
        d3rlpy.dataset.InfiniteBuffer(),
        episodes=episodes,
        action_space=space,
        action_size=int(data["num_actions"]),
    )
    buffer.take_from(data)
    return buffer


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            train(**json.loads(line))
        print("done", flush=True)
