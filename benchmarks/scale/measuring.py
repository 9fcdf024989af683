"""One size, measured: import in parts, compile here and on a cluster, plan here and in blocks.

python -m benchmarks.scale.measuring 100000
"""

from __future__ import annotations

import json
import re
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da
from benchmarks.neighbors.datasets import ACTIONS, STEPS, smooth_system

K, GAMMA = 5, 0.99
LOOK_SECONDS = 0.2
BLOCKS = 4
ROUND_SWEEPS = 4
"""Of a block in a round, but for the first round, which has one."""


def data_of(count: int) -> da.Transitions:
    """Return so many transitions of a smooth 6-d system that 16 columns show."""
    source, core, actions, _ = smooth_system(count, Path())
    return da.Transitions(
        observations=source,
        actions=actions,
        rewards=-np.abs(source[:, 0]).astype(np.float64),
        next_observations=core,
        terminations=np.zeros(len(source), bool),
        episode_ids=np.arange(len(source)) // STEPS,
        action_names=[str(action) for action in range(ACTIONS)],
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that something takes, and its result."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


@contextmanager
def memory_taken() -> Iterator[Callable[[], int]]:
    """Yield a function that returns the most bytes taken of this machine, by all processes."""
    before = least = _available()
    over = threading.Event()

    def watch() -> None:
        nonlocal least
        while not over.wait(LOOK_SECONDS):
            least = min(least, _available())

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield lambda: before - least
    finally:
        over.set()
        watching.join()


def _available() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))


def measured(count: int) -> dict[str, Any]:
    """Return the figures of one size."""
    da.compile(data_of(2_000), k=K).solve(gamma=GAMMA)  # kernels are compiled
    with tempfile.TemporaryDirectory() as name, memory_taken() as taken:
        folder = Path(name)
        da.write(data_of(count), folder / "log.parquet")
        read, data = timed(lambda: da.read(folder / "log.parquet"))
        saved, path = timed(lambda: da.save(data, folder / "data", part_rows=-(-count // 8)))
        loaded, data = timed(lambda: da.load(path))
        here, mdp = timed(lambda: da.compile(data, k=K, neighbors="tree"))
        work = {"cluster": "auto", "work_dir": folder / "work"}
        # Ray is started once for both: its start is a constant, and measured by itself.
        start, ray = timed(_started)
        try:
            there, other = timed(lambda: da.compile(data, k=K, **work))
            same = np.array_equal(mdp.graph.indices, other.graph.indices)
            same = same and np.array_equal(mdp.graph.distances, other.graph.distances)
            plan = mdp.solve(gamma=GAMMA)
            mdp.release()
            again, plan = timed(lambda: mdp.solve(gamma=GAMMA))
            split, blocks = timed(lambda: mdp.solve(gamma=GAMMA, blocks=BLOCKS, **work))
        finally:
            ray.shutdown()
        notes = " ".join(other.graph.report.notes)
        peak = taken()
    shards, cpus = re.search(r"(\d+) shards? on a cluster of (\d+) processors", notes).groups()  # type: ignore[union-attr]
    asked = re.search(r"([\d.]+) shards asked", notes).group(1)  # type: ignore[union-attr]
    return {
        "rows": count,
        "actions": ACTIONS,
        "k": K,
        "dimensions": 16,
        "same_bits": bool(same),
        "read_seconds": read,
        "save_seconds": saved,
        "load_seconds": loaded,
        "compile_seconds": here,
        "ray_start_seconds": start,
        "cluster_compile_seconds": there,
        "shards": int(shards),
        "cpus": int(cpus),
        "shards_asked": float(asked),
        "plan_seconds": again,
        "plan_sweeps": plan.sweeps,
        "blocks": BLOCKS,
        "block_plan_seconds": split,
        "block_rounds": 1 + (blocks.sweeps - 1) // ROUND_SWEEPS,
        "block_status": blocks.status,
        "driver_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "peak_bytes": peak,
    }


def _started() -> Any:
    import logging

    import ray

    ray.init(
        address="local", include_dashboard=False, object_store_memory=128 << 20,
        log_to_driver=False, logging_level=logging.ERROR,
    )  # fmt: skip
    return ray


if __name__ == "__main__":
    print(json.dumps(measured(int(float(sys.argv[1])))))
