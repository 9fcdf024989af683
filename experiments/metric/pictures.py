"""python -m experiments.metric.pictures: CartPole from 5,000 random pictures, by representation."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

import deepaveragers as da

from ..pictures.cartpole import PicturePole
from .study import EPISODES, FIRST_EPISODE, K_PI, K

TRANSITIONS = 5_000
NETWORK: dict[str, Any] = {"preset": "navigation", "hidden": (128, 16)}
REPRESENTATIONS: dict[str, Callable[[da.Transitions, int], Any]] = {
    "pixels": lambda data, seed: da.Identity(),
    "random network": lambda data, seed: da.RandomNetwork(dimensions=64, seed=seed),
    "dynamics": lambda data, seed: da.train_dynamics(data, 1_000, batch_size=128, seed=seed),
    "dqn": lambda data, seed: da.train_dqn(data, 2_000, seed=seed, **NETWORK),
    "bcq": lambda data, seed: da.train_bcq(data, 2_000, seed=seed, **NETWORK),
}


def main() -> None:
    """Print the mean return of the plan on each representation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; 1 makes runs repeat")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    data = da.collect(PicturePole, TRANSITIONS, seed=asked.seed)
    for name, make in REPRESENTATIONS.items():
        began = time.process_time()
        encoder = make(data, asked.seed)
        seconds = time.process_time() - began
        policy = da.compile(data, K, encoder).solve().policy(K_PI)
        report = da.evaluate(policy, PicturePole, EPISODES, seed=FIRST_EPISODE)
        low, high = report.interval
        print(f"{name}: {report.mean:.1f} [{low:.1f}, {high:.1f}], made in {seconds:.0f} s")


if __name__ == "__main__":
    main()
