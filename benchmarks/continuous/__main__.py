"""`python -m benchmarks.continuous quality --agents DIR`, and `... timing --steps 1000000`."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from .quality import TASKS, measured
from .timing import timed


def main(arguments: list[str] | None = None) -> None:
    """Print what is measured, row by row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuous")
    parser.add_argument("what", choices=("quality", "timing"))
    parser.add_argument("--tasks", nargs="+", choices=tuple(TASKS), default=tuple(TASKS))
    parser.add_argument("--agents", type=Path, help="folder of policies that collect data")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=(10, 11, 12))
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--fit", action="store_true", help="policies by da.fit, not by defaults")
    parser.add_argument("--dimensions", type=int, default=6)
    parser.add_argument("--candidates", type=int, default=10)
    parser.add_argument("--landing", choices=("change", "own"), default="change")
    given = parser.parse_args(arguments)
    if given.what == "timing":
        found = timed(given.steps, given.dimensions, given.candidates, given.landing)
        print(", ".join(f"{name} {value:.3g}" for name, value in found.items()))
        return
    for task in given.tasks:
        means = []
        asked = given.steps, given.seeds, given.episodes, given.agents
        for row in measured(task, *asked, fit=given.fit):
            low, high = row.interval
            means.append(row.mean)
            print(
                f"{task} {given.steps:,} seed {row.seed}: logged {row.logged:.1f}, policy "
                f"{row.mean:.1f} [{low:.1f}, {high:.1f}], {row.seconds:.1f} s, processors "
                f"{row.processor:.1f} s{row.chosen and ', '}{row.chosen}",
                flush=True,
            )
        print(f"{task} {given.steps:,}: {np.mean(means):.1f}", flush=True)


if __name__ == "__main__":
    main()
