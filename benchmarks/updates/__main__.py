"""Append 1 % to a model of 100,000 transitions, or forget as much: seconds, and the ratio.

    python -m benchmarks.updates

The updated model is compared with the fresh one, bit by bit, before any figure is printed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import deepaveragers as da
from deepaveragers.mdp.updating import extended, without

REPEATS = 9
STEPS = 100_000
ENVIRONMENTS = ("CartPole-v1", "Acrobot-v1")


def least_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least wall-clock time of a few runs, and the result."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return min(times), result


def measure(name: str) -> str:
    """Return a row of the table for one environment."""
    data = da.collect(name, steps=STEPS, seed=0)
    old, new = data.subset(slice(0, STEPS * 99 // 100)), data.subset(slice(STEPS * 99 // 100, None))
    mdp = da.compile(old, k=5)
    extended(mdp, new)
    gone = np.unique(old.episode_ids)[: max(1, old.num_episodes // 100)].tolist()

    fresh, compiled = least_seconds(lambda: da.compile(data, k=5, encoder=mdp.encoder.encode))
    append, longer = least_seconds(lambda: extended(mdp, new))
    forget, _ = least_seconds(lambda: without(mdp, gone))
    same = np.array_equal(longer.graph.indices, compiled.graph.indices) and np.array_equal(
        longer.graph.distances, compiled.graph.distances
    )
    return (
        f"| {name} | {fresh / append:.1f} | {fresh / forget:.1f} | {fresh:.2f} | {append:.2f} "
        f"| {forget:.2f} | {'yes' if same else 'NO'} |"
    )


def main() -> None:
    """Print the table."""
    print("| data | append ratio | forget ratio | compile s | append s | forget s | same bits |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for name in ENVIRONMENTS:
        print(measure(name), flush=True)


if __name__ == "__main__":
    main()
