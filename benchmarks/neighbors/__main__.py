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
SECONDS, BASELINE_SECONDS = 3.0, 10.0
"""Time for queries of a peer, and of scipy on large sets: the others are compared with it."""
QUICK = 0.1
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


def compare(
    name: str, directory: Path, engines: list[str], scale: float, results: dict[str, Any]
) -> None:
    """Measure engines on one dataset, into the results."""
    if not (directory / "truth.npy").exists():
        ask("truth", directory)
    large = int(name.split("-")[1]) >= LARGE
    for key in engines:
        if key == "auto":
            results[key] = ask("graph", directory, threads=THREADS)
            print(f"  {key}: {results[key]}", flush=True)
            continue
        engine = ENGINES[key]
        if importlib.util.find_spec(engine.needs) is None:
            print(f"  {engine.title}: {engine.needs} is not installed, left out")
            continue
        results[key] = ask(
            "peer",
            directory,
            engine=key,
            limit=scale * (BASELINE_SECONDS if large and key == "scipy" else SECONDS),
            actions=100 if engine.exact else 1,
            threads=THREADS,
        )
        print(f"  {key}: {results[key]}", flush=True)


def main() -> None:
    """Run everything and write the report, after every dataset."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.neighbors", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data, to see that it works")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"), metavar="DIR")
    parser.add_argument("--cache", type=Path, default=Path("runs/neighbors"), metavar="DIR")
    parser.add_argument("--only", default="", help="datasets by their names, with commas")
    parser.add_argument("--engines", default=",".join(["auto", *ENGINES]), help="with commas")
    parser.add_argument("--add", action="store_true", help="keep other results of the output")
    given = parser.parse_args()
    made = {
        name: prepare(name, make, given.cache)
        for name, make in catalogue(given.quick).items()
        if not given.only or name in given.only.split(",")
    }
    record: dict[str, Any] = {"runs": [], "threads": THREADS, "datasets": {}}
    earlier = given.output / "neighbors.json"
    if given.add and earlier.exists():
        record = json.loads(earlier.read_text())
    record["runs"].append(surroundings())
    smooth = [name for name in catalogue(given.quick) if name.startswith("b-")]
    if smooth[0] in made and "auto" in given.engines:
        record["serving"] = ask("serving", made[smooth[0]], threads=THREADS)
        print("serving", record["serving"], flush=True)
    for name, directory in made.items():
        print(name, flush=True)
        results = record["datasets"].setdefault(name, {})
        scale = QUICK if given.quick else 1.0
        compare(name, directory, given.engines.split(","), scale, results)
        write(record, given.output)
    if smooth[-1] in made and "auto" in given.engines:
        record["compile"] = ask("compiled", made[smooth[-1]], threads=THREADS)
        print("compile", record["compile"], flush=True)
        write(record, given.output)


if __name__ == "__main__":
    main()
