"""python -m experiments.computation.large [--rows 2500000] [--output FILE]

The paper's largest model, in one run: compile, first plan and further objectives, by the wall
clock, on all cores. The data are those of `benchmarks.scale`: 16 dimensions, 6 actions.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.scale.measuring import data_of

import deepaveragers as da

from ..candidates import K

ROWS = 2_500_000
"""Transitions of the paper's largest runs."""
GAMMA = 0.99
TOLERANCE = 1e-3
WARM_UP = 2_000
FURTHER = {
    "shorter horizon, gamma .95": {"gamma": 0.95},
    "an action forbidden": {"gamma": GAMMA, "forbidden_actions": (0,)},
    "slip .1": {"gamma": GAMMA, "slip": 0.1},
}
Made = TypeVar("Made")


def measure(rows: int) -> dict[str, Any]:
    """Return wall-clock seconds of every step, by name."""
    _solved(data_of(WARM_UP))  # kernels are compiled before the clock runs
    data = data_of(rows)
    mdp, compiling = _timed(lambda: da.compile(data, K))
    plan, first = _timed(lambda: mdp.solve(gamma=GAMMA, tolerance=TOLERANCE))
    further = {}
    for name, asked in FURTHER.items():
        objective = da.Objective(**asked)
        other, seconds = _timed(
            lambda objective=objective: mdp.solve(objective, tolerance=TOLERANCE, start=plan)
        )
        further[name] = {"seconds": seconds, "status": other.status, "sweeps": other.sweeps}
    return {
        "rows": rows,
        "actions": data.num_actions,
        "k": K,
        "dimensions": int(data.observations.shape[1]),
        "cores": os.cpu_count(),
        "compile": compiling,
        "engine": mdp.graph.report.engine,
        "first plan": first,
        "status": plan.status,
        "sweeps": plan.sweeps,
        "further objectives": further,
        "peak_gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def _solved(data: da.Transitions) -> None:
    mdp = da.compile(data, K)
    plan = mdp.solve(gamma=GAMMA, tolerance=TOLERANCE)
    for asked in FURTHER.values():
        mdp.solve(da.Objective(**asked), tolerance=TOLERANCE, start=plan)


def _timed(work: Callable[[], Made]) -> tuple[Made, float]:
    began = time.perf_counter()
    made = work()
    return made, time.perf_counter() - began


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.computation.large",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=float, default=ROWS)
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    chosen = parser.parse_args(arguments)
    figures = json.dumps(measure(int(chosen.rows)), indent=1)
    if chosen.output is not None:
        chosen.output.write_text(figures + "\n")
    print(figures)


if __name__ == "__main__":
    main()
