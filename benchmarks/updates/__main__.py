"""Append 1 % to a model of 100,000 transitions, or forget as much: seconds, and the ratio.

    python -m benchmarks.updates

"compiled" models have the indexes that they were searched with; "loaded" ones come from a
bundle and have none, and so does a model after a forget. Every kind of run takes its turn, so that
a slow minute of the machine slows all of them. Updated models are compared with fresh ones,
bit by bit, before any figure is printed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

REPEATS = 9
STEPS = 100_000
ENVIRONMENTS = ("CartPole-v1", "Acrobot-v1")


def least_seconds(runs: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]) -> Any:
    """Return the least wall-clock time and the last result of each kind of run.

    Args:
        runs: for each kind, what prepares its input (not timed), and the run itself.
    """
    seconds = dict.fromkeys(runs, np.inf)
    results = {}
    for _ in range(REPEATS):
        for name, (prepare, run) in runs.items():
            given = prepare()
            began = time.perf_counter()
            results[name] = run(given)
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    return seconds, results


def measure(name: str, folder: Path) -> list[str]:
    """Return the rows of the table for one environment."""
    data = da.collect(name, steps=STEPS, seed=0)
    old, new = data.subset(slice(0, STEPS * 99 // 100)), data.subset(slice(STEPS * 99 // 100, None))
    compiled = da.compile(old, k=5)
    path = da.save(compiled, folder / name)
    gone = np.unique(old.episode_ids)[: max(1, old.num_episodes // 100)].tolist()
    models = {
        "compiled": lambda: compiled,
        "loaded": lambda: da.load(path),
        "after a forget": lambda: da.forget(compiled, int(old.episode_ids[-1])),
    }
    runs: dict[str, Any] = {"fresh": (lambda: data, lambda x: fresh(x, compiled))}
    for kind, model in models.items():
        runs[f"{kind}: append"] = model, lambda x: da.append(x, new)
        runs[f"{kind}: forget"] = model, lambda x: da.forget(x, gone)
    seconds, results = least_seconds(runs)
    rows = []
    for kind in models:
        longer, shorter = results[f"{kind}: append"], results[f"{kind}: forget"]
        append, forget = seconds[f"{kind}: append"], seconds[f"{kind}: forget"]
        same = all(same_graph(one, fresh(one.transitions, compiled)) for one in (longer, shorter))
        rows.append(
            f"| {name}, {kind} | {seconds['fresh'] / append:.1f} | {seconds['fresh'] / forget:.1f} "
            f"| {seconds['fresh']:.3f} | {append:.3f} | {forget:.3f} | {'yes' if same else 'NO'} |"
        )
    return rows


def fresh(data: da.Transitions, model: da.DacMdp) -> da.DacMdp:
    """Return the data compiled anew, with the fitted encoder of a model."""
    return da.compile(data, k=model.graph.k, encoder=model.encoder.encode)


def same_graph(one: da.DacMdp, other: da.DacMdp) -> bool:
    """Whether two models have the same neighbours and distances."""
    return np.array_equal(one.graph.indices, other.graph.indices) and np.array_equal(
        one.graph.distances, other.graph.distances
    )


def main() -> None:
    """Print the table."""
    print("| model | append ratio | forget ratio | compile s | append s | forget s | same bits |")
    print("|---|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in ENVIRONMENTS:
            print("\n".join(measure(name, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
