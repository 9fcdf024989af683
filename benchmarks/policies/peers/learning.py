"""Having peers learn from logs: plain arrays go to their environment, policies come back."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

import deepaveragers as da

from .environment import HERE, python

PEERS = ("cql", "bcq", "ddqn", "bc")
ROW_PEERS = ("td3bc", "iql", "cql", "bc")
"""Where actions are rows."""
SHOWN = 2_000
"""Letters of what a peer says before it fails."""


@dataclass(frozen=True)
class Learnt:
    """A peer's policy.

    Attributes:
        act: from observations [B, ...] to actions [B], or rows [B, Da].
        predicted: mean value at the log's starts as the peer sees it; None where it sees none.
        seconds: of processor time that training took.
    """

    act: Callable[[Any], Any]
    predicted: float | None
    seconds: float


class Peers:
    """The process in which peers learn, on one thread; begun when it is first asked.

    Args:
        environment: folder of the peers' environment.
    """

    def __init__(self, environment: Path) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._said: IO[str] | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Peers:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._opened.close()

    def learn(self, data: da.Transitions, algorithm: str, steps: int, seed: int) -> Learnt:
        """Train a peer."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.npz"
            write_log(data, log)
            self._ask(log=str(log), folder=folder, algorithm=algorithm, steps=steps, seed=seed)
            report = json.loads((Path(folder) / "report.json").read_text())
            act = _policy(Path(folder) / "policy.pt", data.observations.dtype)
        return Learnt(act, report["predicted"], report["seconds"])

    def _ask(self, **request: Any) -> None:
        process = self._process = self._process or self._begun()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        if process.stdout.readline().strip() != "done":
            assert self._said is not None
            self._said.seek(0)
            raise RuntimeError(f"d3rlpy failed: {self._said.read()[-SHOWN:]}")

    def _begun(self) -> subprocess.Popen[str]:
        self._said = self._opened.enter_context(tempfile.TemporaryFile("w+"))  # noqa: SIM115
        return subprocess.Popen(
            [str(python(self._environment)), str(HERE / "train.py")],
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )


def write_log(data: da.Transitions, path: Path) -> None:
    """Write a log as plain arrays, episode after episode."""
    observations = np.asarray(data.observations)
    first = np.append(True, data.episode_ids[1:] != data.episode_ids[:-1])
    kind = np.uint8 if observations.dtype == np.uint8 else np.float32
    np.savez(
        path,
        observations=observations.astype(kind),
        actions=data.actions.astype(np.float32 if data.action_vectors else np.int64),
        rewards=data.rewards.astype(np.float32),
        terminations=data.terminations.astype(np.float32),
        truncations=(data.truncations & ~data.terminations).astype(np.float32),
        starts=observations[first].astype(kind),
        num_actions=len(data.action_names),
    )


def _policy(path: Path, dtype: Any) -> Callable[[Any], Any]:
    import torch

    network = torch.jit.load(str(path))
    kind = torch.uint8 if dtype == np.uint8 else torch.float32

    def act(observations: Any) -> Any:
        with torch.no_grad():
            return network(torch.as_tensor(np.asarray(observations)).to(kind)).numpy()

    return act
