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
from deepaveragers.neighbors.features import Features
from deepaveragers.neighbors.graph import NeighborGraph
from deepaveragers.neighbors.shard_tuning import ShardTuning
from deepaveragers.neighbors.sharded import build_graph_on_cluster

K, GAMMA = 5, 0.99
LOOK_SECONDS = 0.2
BLOCKS = 4
MANY_SHARDS = 16
"""As many machines would take: tells how many shards a core state asks."""
MOST_ROWS_IN_MANY = 3_000_000
"""Larger sizes are neither searched in many shards nor planned in blocks: on one machine that
only takes time."""
TURNS = 3
"""Of compiling here and on new workers; medians are reported. Larger sizes have one."""
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
        turns = list[tuple[float, float, float]]()
        for turn in range(TURNS if count <= MOST_ROWS_IN_MANY else 1):
            seconds, mdp, other = in_turn(data, folder / f"turn{turn}")
            turns.append(seconds)
        here, there, start = (float(np.median(one)) for one in zip(*turns, strict=True))
        work = {"cluster": "auto", "work_dir": folder / "work"}
        ray = _started()
        try:
            same = np.array_equal(mdp.graph.indices, other.graph.indices)
            same = same and np.array_equal(mdp.graph.distances, other.graph.distances)
            plan = mdp.solve(gamma=GAMMA)
            mdp.release()
            again, plan = timed(lambda: mdp.solve(gamma=GAMMA))
            apart: dict[str, Any] = {}
            if count <= MOST_ROWS_IN_MANY:
                apart = {**in_many_shards(mdp, **work), **in_blocks(mdp, **work)}
        finally:
            ray.shutdown()
        peak = taken()
    shards, cpus, asked = shared_out(other.graph)
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
        "shards": shards,
        "cpus": cpus,
        "shards_asked": asked,
        "plan_seconds": again,
        "plan_sweeps": plan.sweeps,
        **apart,
        "driver_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "peak_bytes": peak,
    }


def in_turn(
    data: da.Transitions, folder: Path
) -> tuple[tuple[float, float, float], da.DacMdp, da.DacMdp]:
    """Return the seconds of compiling here, on new workers, and of starting Ray; both models."""
    here, mdp = timed(lambda: da.compile(data, k=K, neighbors="tree"))
    start, ray = timed(_started)
    try:
        there, other = timed(lambda: da.compile(data, k=K, cluster="auto", work_dir=folder))
    finally:
        ray.shutdown()
    return (here, there, start), mdp, other


def in_many_shards(mdp: da.DacMdp, cluster: str, work_dir: Path) -> dict[str, Any]:
    """Return the figures of a model's graph, searched in many shards."""
    features = Features(mdp.source_features, mdp.core_features)
    data, tuning = mdp.transitions, ShardTuning(shards=MANY_SHARDS)
    place = {"cluster": cluster, "work_dir": work_dir / "many", "tuning": tuning}
    seconds, graph = timed(
        lambda: build_graph_on_cluster(features, data.actions, data.num_actions, K, **place)
    )
    return {
        "many_shards": MANY_SHARDS,
        "many_shards_seconds": seconds,
        "many_shards_asked": shared_out(graph)[2],
        "many_shards_same_bits": bool(np.array_equal(mdp.graph.indices, graph.indices)),
    }


def in_blocks(mdp: da.DacMdp, **work: Any) -> dict[str, Any]:
    """Return the figures of a plan in blocks."""
    seconds, plan = timed(lambda: mdp.solve(gamma=GAMMA, blocks=BLOCKS, **work))
    return {
        "blocks": BLOCKS,
        "block_plan_seconds": seconds,
        "block_rounds": 1 + (plan.sweeps - 1) // ROUND_SWEEPS,
        "block_status": plan.status,
    }


def shared_out(graph: NeighborGraph) -> tuple[int, int, float]:
    """Return the shards, the processors, and the shards that a core state asked."""
    notes = " ".join(graph.report.notes)
    shards, cpus = re.search(r"(\d+) shards? on a cluster of (\d+) processors", notes).groups()  # type: ignore[union-attr]
    asked = re.search(r"([\d.]+) shards asked", notes).group(1)  # type: ignore[union-attr]
    return int(shards), int(cpus), float(asked)


def _started() -> Any:
    import logging

    import ray

    # Ray's workers give way to all other processes (niceness 15); what is compared must not.
    ray.init(
        address="local", include_dashboard=False, object_store_memory=128 << 20,
        log_to_driver=False, logging_level=logging.ERROR, _system_config={"worker_niceness": 0},
    )  # fmt: skip
    return ray


if __name__ == "__main__":
    print(json.dumps(measured(int(float(sys.argv[1])))))
