"""Compare neighbour engines: `python -m benchmarks.neighbors [--quick] [--output DIR]`.

Every measurement runs by itself, one after another, with the same number of threads. Writes
neighbors.md, neighbors.json and neighbors.png to the output directory.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .datasets import catalogue, prepare
from .engines import ENGINES
from .report import surroundings, write

THREADS = 2
SECONDS, BASELINE_SECONDS = 6.0, 20.0
"""Time for queries of a peer, and of scipy, which the others are compared with."""
LARGE = 1_000_000


def ask(job: str, directory: Path, **order: Any) -> Any:
    """Run one measurement; None if it failed."""
    variables = ("OMP", "OPENBLAS", "MKL", "NUMBA")
    environment = {**os.environ, **{f"{v}_NUM_THREADS": str(THREADS) for v in variables}}
    text = json.dumps({"job": job, "directory": str(directory), **order})
    command = [sys.executable, "-m", "benchmarks.neighbors.measure", text]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def compare(name: str, directory: Path, quick: bool) -> dict[str, Any]:
    """Measure every engine on one dataset."""
    if not (directory / "truth.npy").exists():
        ask("truth", directory)
    results = {"auto": ask("graph", directory, threads=THREADS)}
    large = int(name.split("-")[1]) >= LARGE
    for key, engine in ENGINES.items():
        if importlib.util.find_spec(engine.needs) is None:
            print(f"  {engine.title}: {engine.needs} is not installed, left out")
            continue
        order = {
            "engine": key,
            "limit": (BASELINE_SECONDS if large and key == "scipy" else SECONDS),
            "actions": 100 if engine.exact else 1,
            "threads": THREADS,
        }
        if quick:
            order["limit"] = 0.5
        results[key] = ask("peer", directory, **order)
    for key, result in results.items():
        if result is not None:
            seconds = result["build_seconds"] + result["query_seconds"]
            print(f"  {key}: {seconds:.2f} s, recall {result['recall']:.4f}", flush=True)
    return results


def main() -> None:
    """Run everything and write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.neighbors", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data, to see that it works")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"), metavar="DIR")
    parser.add_argument("--cache", type=Path, default=Path("runs/neighbors"), metavar="DIR")
    parser.add_argument("--only", help="letters of the datasets", default="abcd")
    given = parser.parse_args()
    made = {
        name: prepare(name, make, given.cache)
        for name, make in catalogue(given.quick).items()
        if name[0] in given.only
    }
    record: dict[str, Any] = {**surroundings(), "threads": THREADS, "datasets": {}}
    for name, directory in made.items():
        print(name, flush=True)
        record["datasets"][name] = compare(name, directory, given.quick)
    smooth = sorted((n for n in made if n[0] == "b"), key=lambda n: int(n.split("-")[1]))
    if smooth:
        record["serving"] = ask("serving", made[smooth[0]], threads=THREADS)
        record["compile"] = ask("compiled", made[smooth[-1]], threads=THREADS)
        print("serving", record["serving"], "compile", record["compile"], flush=True)
    write(record, given.output)


if __name__ == "__main__":
    main()
