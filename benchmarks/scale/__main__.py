"""Scale: `python -m benchmarks.scale --measure 1e5 3e5 1e6`, then `--project 1e9`.

Measured sizes are kept in scale.json of the output directory, one run for each size.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from .model import SOLVE_BYTES, Cluster, checked, fitted, shards_for

ACTIONS, K = 6, 5


def main() -> None:
    """Measure sizes, or calculate what a larger one would take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", nargs="+", type=float, default=[], metavar="ROWS")
    parser.add_argument("--project", nargs="+", type=float, default=[], metavar="ROWS")
    parser.add_argument("--machines", type=int, default=16)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--gigabits", type=float, default=10.0)
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"))
    given = parser.parse_args()
    file = given.output / "scale.json"
    runs = json.loads(file.read_text()) if file.exists() else []
    for rows in given.measure:
        run = measure(int(rows))
        runs = sorted([one for one in runs if one["rows"] != run["rows"]] + [run], key=rows_of)
        file.write_text(json.dumps(runs, indent=1) + "\n")
    if not runs:
        parser.error("nothing was measured yet: begin with --measure 1e5 1e6")
    print(measured_table(runs))
    cluster = Cluster(given.machines, given.cores, given.gigabits)
    if given.project:
        print(projected(runs, given.project, cluster))


def rows_of(run: dict[str, Any]) -> int:
    """Return the size of a run."""
    return int(run["rows"])


def measure(rows: int) -> dict[str, Any]:
    """Return the figures of one size, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale.measuring", str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{rows:,} rows failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def measured_table(runs: list[dict[str, Any]]) -> str:
    """Return what was measured, and how the model's forecast from smaller runs compares."""
    forecast = {rows: calculated for rows, _, calculated in checked(runs)}
    lines = [
        "Measured, seconds (16-d, 6 actions, k=5):",
        f"{'rows':>12} {'import':>8} {'compile':>8} {'cluster':>8} {'model':>8} {'in 16':>7} "
        f"{'asked':>6} {'plan':>7} {'blocks':>7} {'rounds':>7} {'peak GB':>8} {'same bits':>9}",
    ]
    for run in runs:
        model, many = forecast.get(run["rows"]), run.get("many_shards_seconds")
        lines.append(
            f"{run['rows']:>12,} {run['read_seconds'] + run['save_seconds']:>8.1f} "
            f"{run['compile_seconds']:>8.1f} {run['cluster_compile_seconds']:>8.1f} "
            f"{_seconds(model):>8} {_seconds(many):>7} "
            f"{_asked(run):>6} {run['plan_seconds']:>7.1f} "
            f"{_seconds(run.get('block_plan_seconds')):>7} {run.get('block_rounds', '-'):>7} "
            f"{run['peak_bytes'] / 1e9:>8.1f} {run['same_bits']!s:>9}"
        )
    return "\n".join(lines)


def projected(runs: list[dict[str, Any]], sizes: list[float], cluster: Cluster) -> str:
    """Return what the model calculates for larger sizes."""
    model = fitted(runs)
    lines = [
        "",
        f"Calculated, {cluster.machines} machines x {cluster.cores} cores, "
        f"{cluster.gigabits:g} Gbit/s:",
        f"{'rows':>15} {'shards':>7} {'asked':>6} {'compile':>10} {'a round':>9} "
        f"{'graph GB':>9} {'plan on one machine':>20}",
    ]
    for rows in sizes:
        shards = shards_for(rows, ACTIONS, cluster)
        compiling = model.compile_there(rows, ACTIONS, K, shards, cluster)
        graph = 8 * rows * ACTIONS * K / 1e9
        lines.append(
            f"{rows:>15,.0f} {shards:>7} {model.asked(rows, shards):>6.2f} "
            f"{_duration(compiling):>10} {_duration(model.round(rows, ACTIONS, K, cluster)):>9} "
            f"{graph:>9.1f} {f'{SOLVE_BYTES * graph:.0f} GB of memory':>20}"
        )
    return "\n".join(lines)


def _asked(run: dict[str, Any]) -> str:
    return f"{run['many_shards_asked']:.2f}" if "many_shards" in run else "-"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f}"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


if __name__ == "__main__":
    main()
