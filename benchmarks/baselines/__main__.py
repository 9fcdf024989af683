"""python -m benchmarks.baselines [--quick] [--runs DIR]

Trains DQN and BCQ of this package and of d3rlpy on the same data and plays them; see README.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from experiments.ledger import Ledger, pooled, written

import deepaveragers as da

ENV = "CartPole-v1"
EPSILONS = {0.0: 0.2, 0.2: 0.3, 0.5: 0.3, 1.0: 0.2}
HIDDEN, BATCH, RATE, TARGET_EVERY, GAMMA = (256, 256, 16), 64, 5e-4, 500, 0.99
THRESHOLD, LOGIT_PENALTY = 0.3, 0.01
ALGORITHMS = ("dqn", "bcq")
Act = Callable[[np.ndarray], np.ndarray]


def lean(observations: np.ndarray) -> np.ndarray:
    """Push towards the side to which the pole falls."""
    return (observations[:, 2] + 0.5 * observations[:, 3] > 0).astype(int)


def ours(algorithm: str, data: da.Transitions, updates: int, seed: int) -> Act:
    """Train this package's network and return its policy."""
    learn = {"dqn": da.train_dqn, "bcq": da.train_bcq}[algorithm]
    encoder = learn(
        data,
        updates,
        seed=seed,
        hidden=HIDDEN,
        batch_size=BATCH,
        learning_rate=RATE,
        target_every=TARGET_EVERY,
        gamma=GAMMA,
        threshold=THRESHOLD,
        logit_penalty=LOGIT_PENALTY,
    )
    return encoder.policy().act


def theirs(algorithm: str, data: da.Transitions, updates: int, seed: int) -> Act:
    """Train d3rlpy's network and return its policy."""
    import d3rlpy

    d3rlpy.seed(seed)
    shared: dict[str, Any] = {
        "batch_size": BATCH,
        "learning_rate": RATE,
        "target_update_interval": TARGET_EVERY,
        "gamma": GAMMA,
        "observation_scaler": d3rlpy.preprocessing.StandardObservationScaler(),
        "encoder_factory": d3rlpy.models.VectorEncoderFactory(list(HIDDEN)),
    }
    if algorithm == "dqn":
        config = d3rlpy.algos.DQNConfig(**shared)
    else:
        config = d3rlpy.algos.DiscreteBCQConfig(
            **shared, action_flexibility=THRESHOLD, beta=LOGIT_PENALTY
        )
    dataset = d3rlpy.dataset.MDPDataset(
        observations=data.observations.astype(np.float32),
        actions=data.actions,
        rewards=data.rewards.astype(np.float32),
        terminals=data.terminations.astype(np.float32),
        timeouts=(data.truncations & ~data.terminations).astype(np.float32),
        action_space=d3rlpy.ActionSpace.DISCRETE,
        action_size=data.num_actions,
    )
    learner = config.create(device="cpu:0")
    learner.fit(
        dataset,
        n_steps=updates,
        n_steps_per_epoch=updates,
        show_progress=False,
        logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
    )
    return lambda observations: learner.predict(observations.astype(np.float32))


def main(arguments: list[str] | None = None) -> None:
    """Train and play what is not done yet, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=Path)
    chosen = parser.parse_args(arguments)
    quick = chosen.quick
    steps, updates, episodes = (2_000, 60, 5) if quick else (100_000, 20_000, 100)
    seeds = (0,) if quick else (0, 1, 2)
    runs = chosen.runs or Path("runs") / ("baselines-quick" if quick else "baselines")

    import torch

    torch.set_num_threads(1)
    data = da.collect(ENV, steps, lean, epsilon=EPSILONS, seed=0)
    values = ("updates_per_cpu_second", "mean", "low", "high", "returns")
    ledger = Ledger(runs / "results.csv", ("library", "algorithm", "seed"), values)
    for seed in seeds:
        for algorithm in ALGORITHMS:
            for library, train in (("deepaveragers", ours), ("d3rlpy", theirs)):
                key = {"library": library, "algorithm": algorithm, "seed": seed}
                if ledger.has(**key):
                    continue
                began = time.process_time()
                act = train(algorithm, data, updates, seed)
                rate = updates / (time.process_time() - began)
                report = da.evaluate(act, ENV, episodes, seed=1)
                low, high = report.interval
                ledger.add(
                    **key,
                    updates_per_cpu_second=f"{rate:.1f}",
                    mean=f"{report.mean:.2f}",
                    low=f"{low:.2f}",
                    high=f"{high:.2f}",
                    returns=written(report.returns),
                )
                print(library, algorithm, seed, f"{report.mean:.1f}", flush=True)
    print(_table(ledger, data))


def _table(ledger: Ledger, data: da.Transitions) -> str:
    lines = [
        f"Behaviour: {data.episode_returns().mean():.1f}. Episodes of all seeds together.",
        "",
        "| algorithm | library | mean return (95 %) | means by seed | updates per CPU second |",
        "|---|---|---|---|---|",
    ]
    for algorithm in ALGORITHMS:
        for library in ("deepaveragers", "d3rlpy"):
            rows = ledger.select(library=library, algorithm=algorithm)
            report = pooled(rows)
            low, high = report.interval
            means = ", ".join(f"{float(row['mean']):.0f}" for row in rows)
            rate = np.mean([float(row["updates_per_cpu_second"]) for row in rows])
            score = f"{report.mean:.1f} ({low:.1f} to {high:.1f})"
            lines.append(f"| {algorithm} | {library} | {score} | {means} | {rate:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
