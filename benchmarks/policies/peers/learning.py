"""Having a peer learn from a log: plain arrays go there, a policy comes back."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from .environment import HERE, python

PEERS = ("cql", "bcq", "ddqn", "bc")


@dataclass(frozen=True)
class Learnt:
    """A peer's policy.

    Attributes:
        act: from observations [B, ...] to actions [B].
        seconds: of processor time that training took.
        predicted: mean value at the log's starts as the peer sees it; None where it sees none.
    """

    act: Callable[[Any], Any]
    seconds: float
    predicted: float | None


def learn(
    environment: Path, data: da.Transitions, algorithm: str, steps: int, seed: int
) -> Learnt:
    """Train a peer in its own environment, on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.npz"
        write_log(data, log)
        command = [python(environment), HERE / "train.py", log, folder, algorithm, steps, seed]
        ended = subprocess.run(
            [str(word) for word in command],
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""},
            capture_output=True,
            text=True,
        )
        if ended.returncode != 0:
            raise RuntimeError(f"d3rlpy's {algorithm} failed:\n{ended.stderr[-2000:]}")
        report = json.loads((Path(folder) / "report.json").read_text())
        act = _policy(Path(folder) / "policy.pt", data.observations.dtype)
    return Learnt(act, report["seconds"], report["predicted"])


def write_log(data: da.Transitions, path: Path) -> None:
    """Write a log as plain arrays, episode after episode."""
    observations = np.asarray(data.observations)
    first = np.append(True, data.episode_ids[1:] != data.episode_ids[:-1])
    kind = np.uint8 if observations.dtype == np.uint8 else np.float32
    np.savez(
        path,
        observations=observations.astype(kind),
        actions=data.actions.astype(np.int64),
        rewards=data.rewards.astype(np.float32),
        terminations=data.terminations.astype(np.float32),
        truncations=(data.truncations & ~data.terminations).astype(np.float32),
        starts=observations[first].astype(kind),
        num_actions=data.num_actions,
    )


def _policy(path: Path, dtype: Any) -> Callable[[Any], Any]:
    import torch

    network = torch.jit.load(str(path))
    kind = torch.uint8 if dtype == np.uint8 else torch.float32

    def act(observations: Any) -> Any:
        with torch.no_grad():
            return network(torch.as_tensor(np.asarray(observations)).to(kind)).numpy()

    return act
