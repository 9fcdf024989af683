"""Run the planner's benchmark: `python -m benchmarks.planner [--quick|--headline]`."""

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
    parser.add_argument(
        "--headline",
        action="store_true",
        help="re-plans, and a million states at gamma 0.99 to 1e-3 only; a few minutes",
    )
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"), metavar="DIR")
    arguments = parser.parse_args()
    command, stem = "python -m benchmarks.planner", "planner"
    compared, sizes, gammas, tolerances = COMPARED, SIZES, GAMMAS, TOLERANCES
    if arguments.quick:
        command += " --quick"
        compared, sizes, gammas = ["synthetic 10k"], ["synthetic 10k"], [0.95, 0.99]
    elif arguments.headline:
        command, stem = command + " --headline", "planner-headline"
        sizes, gammas, tolerances = [], [0.99], [1e-3]
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
    for name in compared[:1] if arguments.headline else compared:
        for row in measuring.compare(name, gammas, tolerances, until_done=arguments.headline):
            keep("rows", asdict(row))
        result["seconds"] = time.perf_counter() - begin
        reporting.write(arguments.output, stem, result)
    print(f"Written to {arguments.output}/{stem}.*")


def _compile_kernels() -> None:
    """Let every solver compile what it compiles, before anything is timed."""
    for row in measuring.compare("synthetic 10k", [0.5], [1e-3, 1e-6]):
        print(f"warm: {row.solver} {row.seconds:.3g} s", flush=True)
    problem("synthetic 10k").solve(gamma=0.9, slip=0.1)


if __name__ == "__main__":
    main()
