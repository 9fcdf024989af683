"""Run the planner's benchmark: `python -m benchmarks.planner [--quick] [--output DIR]`."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import measuring, reporting
from .problems import build, problem

GAMMAS, TOLERANCES = [0.95, 0.99, 0.999], [1e-3, 1e-6]
COMPARED = ["synthetic 1M", "synthetic 100k", "cartpole 100k"]
SIZES = ["synthetic 10k", "synthetic 100k", "synthetic 300k", "synthetic 1M", "synthetic 4M"]


def main() -> None:
    """Measure, show, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planner", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 states only, a minute")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"), metavar="DIR")
    arguments = parser.parse_args()
    command = "python -m benchmarks.planner" + (" --quick" if arguments.quick else "")
    compared = ["synthetic 10k"] if arguments.quick else COMPARED
    sizes = ["synthetic 10k"] if arguments.quick else SIZES
    gammas = [0.95, 0.99] if arguments.quick else GAMMAS
    build(*compared, *sizes)
    _compile_kernels()
    begin = time.perf_counter()
    result: dict[str, Any] = {
        "circumstances": reporting.circumstances(command),
        "bandwidth": measuring.memory_bandwidth(len(os.sched_getaffinity(0))),
        "rows": [],
        "replans": [],
        "sizes": [],
    }

    def keep(kind: str, row: dict[str, Any]) -> None:
        result[kind].append(row)
        print(" ".join(f"{value:.3g}" if isinstance(value, float) else str(value)
                       for value in row.values()), flush=True)  # fmt: skip

    for name in compared:
        if name != "synthetic 1M":
            for replan in measuring.replans(name):
                keep("replans", replan)
    for size in measuring.against_size(sizes, result["bandwidth"]):
        keep("sizes", size)
    for name in compared:
        for row in measuring.compare(name, gammas, TOLERANCES):
            keep("rows", asdict(row))
        result["seconds"] = time.perf_counter() - begin
        reporting.write(arguments.output, result)
    print(f"Written to {arguments.output}/planner.{{md,json,png}}")


def _compile_kernels() -> None:
    """Let every solver compile what it compiles, before anything is timed."""
    for row in measuring.compare("synthetic 10k", [0.5], [1e-3, 1e-6]):
        print(f"warm: {row.solver} {row.seconds:.3g} s", flush=True)
    problem("synthetic 10k").solve(gamma=0.9, slip=0.1)


if __name__ == "__main__":
    main()
