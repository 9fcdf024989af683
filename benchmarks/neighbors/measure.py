"""One measurement in a process of its own: its memory and its threads are nobody else's.

    python -m benchmarks.neighbors.measure '{"job": "peer", "directory": ..., ...}'

prints one JSON object. Compiled code is warmed up on a few rows before the clock starts.
Peers answer runs of consecutive core states, in a random order of runs, until their time is
over; what they would need for all states is projected from that.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da
from benchmarks.arrays import Array, Int64

from .datasets import Problem, load
from .engines import ENGINES

K = 5
RUN = 250
LARGEST_BATCH = 4000
CHECKED = 100
"""Core states whose true neighbours are known, by brute force in float64."""
MEGABYTE = 2**20


def checked_states(problem: Problem) -> Int64:
    """Return the core states that recall is measured on."""
    return np.random.default_rng(1).integers(0, len(problem.core), CHECKED)


def truth(directory: Path) -> None:
    """Write the true k-th distances [actions, checked states]."""
    problem = load(directory)
    points = problem.core[checked_states(problem)].astype(np.float64)
    actions = range(problem.num_actions)
    found = [
        da.neighbor_index(problem.rows(a), "brute").query(points, K)[1][:, -1] for a in actions
    ]
    np.save(directory / "truth.npy", np.stack(found))


def recall(problem: Problem, directory: Path, action: int, rows: Array) -> float:
    """Return the share of rows [checked states, K], of all transitions, that are near enough."""
    points = problem.core[checked_states(problem)].astype(np.float64)
    gaps = np.linalg.norm(problem.source[rows] - points[:, None], axis=2)
    farthest = np.load(directory / "truth.npy")[action]
    return float((gaps <= farthest[:, None] * (1 + 1e-12)).mean())


def batches(count: int) -> Iterator[Int64]:
    """Yield states, in runs of consecutive ones, in batches that grow."""
    starts = np.random.default_rng(0).permutation(np.arange(0, count, RUN))
    done, size = 0, 1
    while done < len(starts):
        part = starts[done : done + size]
        states = (part[:, None] + np.arange(RUN)).reshape(-1)
        yield states[states < count]
        done += size
        size = min(2 * size, LARGEST_BATCH // RUN)


def peer(directory: Path, engine: str, limit: float, actions: int, threads: int) -> dict[str, Any]:
    """Measure an index per action, of the first actions."""
    problem = load(directory)
    build = ENGINES[engine].build
    build(problem.source[:1000], threads)(problem.core[:RUN], K)
    actions = min(actions, problem.num_actions)
    base = _peak()
    built = asked = answered = 0.0
    recalls = []
    for action in range(actions):
        members = np.flatnonzero(problem.actions == action)
        rows = problem.source[members]
        begin = time.perf_counter()
        ask = build(rows, threads)
        built += time.perf_counter() - begin
        spent = 0.0
        for states in batches(len(problem.core)):
            points = problem.core[states]
            begin = time.perf_counter()
            ask(points, K)
            spent += time.perf_counter() - begin
            answered += len(states)
            if spent > limit / actions:
                break
        asked += spent
        found = ask(problem.core[checked_states(problem)], K)
        recalls.append(recall(problem, directory, action, members[found]))
        del ask
    every = problem.num_actions
    lookups = len(problem.core) * every
    return {
        "build_seconds": built * every / actions,
        "query_seconds": asked * lookups / answered,
        "answered": int(answered),
        "actions": actions,
        "recall": float(np.mean(recalls)),
        "megabytes": (_peak() - base) / MEGABYTE,
    }


def graph(directory: Path, threads: int) -> dict[str, Any]:
    """Measure the search of everything, with the trial of both engines and the graph itself."""
    problem = load(directory)
    data = _transitions(problem)
    for engine in ("tree", "dense"):
        some = data.subset(slice(0, 1000))
        da.compile(some, K, da.Identity(), neighbors=engine, threads=threads)
    base = _peak()
    found = da.compile(data, K, da.Identity(), threads=threads).graph
    states = checked_states(problem)
    shares = [
        recall(problem, directory, action, found.indices[states, action])
        for action in range(problem.num_actions)
    ]
    return {
        "build_seconds": 0.0,
        "query_seconds": found.report.seconds,
        "answered": len(problem.core) * problem.num_actions,
        "actions": problem.num_actions,
        "recall": float(np.mean(shares)),
        "megabytes": (_peak() - base) / MEGABYTE,
        "engine": found.report.engine,
        "notes": list(found.report.notes),
    }


def compiled(directory: Path, threads: int) -> dict[str, Any]:
    """Measure the whole of `da.compile`."""
    data = _transitions(load(directory))
    da.compile(data.subset(slice(0, 1000)), K, da.Identity(), threads=threads)
    begin = time.perf_counter()
    mdp = da.compile(data, K, da.Identity(), threads=threads)
    return {
        "seconds": time.perf_counter() - begin,
        "engine": mdp.graph.report.engine,
        "peak_megabytes": _peak() / MEGABYTE,
        "graph_megabytes": (mdp.graph.indices.nbytes + mdp.graph.distances.nbytes) / MEGABYTE,
    }


def _transitions(problem: Problem) -> da.Transitions:
    count = len(problem.core)
    return da.Transitions(
        observations=problem.source,
        actions=problem.actions,
        rewards=np.zeros(count),
        next_observations=problem.core,
        terminations=np.zeros(count, dtype=bool),
        episode_ids=np.zeros(count, dtype=np.int64),
        action_names=[str(action) for action in range(problem.num_actions)],
    )


def serving(directory: Path, threads: int, k: int = 11) -> dict[str, Any]:
    """Measure single queries, and batches of 1,000, over all core states."""
    problem = load(directory)
    index = da.neighbor_index(problem.core)
    picks = np.random.default_rng(0).integers(0, len(problem.source), 20_000)
    points = problem.source[picks]
    index.query(points[:1], k)
    index.query(points[:1000], k, threads=threads)
    singles, together = [], []
    for i in range(len(points)):
        one = points[i : i + 1]
        begin = time.perf_counter()
        index.query(one, k)
        singles.append(time.perf_counter() - begin)
    for start in range(0, len(points), 1000):
        thousand = points[start : start + 1000]
        begin = time.perf_counter()
        index.query(thousand, k, threads=threads)
        together.append((time.perf_counter() - begin) / 1000)
    p50, p99 = np.percentile(singles, [50, 99])
    microseconds = {"p50": p50, "p99": p99, "batch": np.median(together)}
    return {name: float(value) * 1e6 for name, value in microseconds.items()}


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


JOBS = {"truth": truth, "peer": peer, "graph": graph, "compiled": compiled, "serving": serving}

if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    answer = JOBS[order.pop("job")](Path(order.pop("directory")), **order)
    print(json.dumps(answer))
