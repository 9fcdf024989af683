"""Run the study: `python -m experiments.navigation [--quick]`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from .ablation import VARIANTS, run_ablation
from .results import Row, tabulate, write
from .rooms import ROOMS
from .study import FULL, QUICK, run_room

HERE = Path(__file__).parent


def main() -> None:
    """Parse the command line and run what it asks."""
    parser = argparse.ArgumentParser(prog="python -m experiments.navigation", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small walks and few episodes")
    parser.add_argument(
        "--parts", nargs="+", choices=[*ROOMS, "ablation"], default=[*ROOMS, "ablation"]
    )
    parser.add_argument("--seeds", nargs="+", type=int, help="walks; default: 0 1 2, quick: 0")
    variants = [variant.name for variant in VARIANTS]
    parser.add_argument(
        "--variants", nargs="+", choices=variants, default=variants, help="of the ablation"
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs/navigation"), help="where walks are kept"
    )
    parser.add_argument(
        "--results", type=Path, default=None, help="where tables go; default: beside this file"
    )
    parser.add_argument(
        "--images", type=Path, default=None, help="where pictures go; default: docs/images"
    )
    options = parser.parse_args()
    scale = QUICK if options.quick else FULL
    runs = options.runs / "quick" if options.quick else options.runs
    results = options.results or (runs if options.quick else HERE / "results")
    images = options.images or (runs if options.quick else Path("docs/images"))
    for part in options.parts:
        if part == "ablation":
            _keep(run_ablation(scale, runs, options.variants), results, part)
            continue
        for seed in options.seeds or scale.seeds:
            drawn = images if seed == scale.seeds[0] else None
            _keep(run_room(part, seed, scale, runs, drawn), results, f"{part}-{seed}")
    tabulate(results)


def _keep(rows: Iterator[Row], directory: Path, name: str) -> None:
    """Write the file again after every row, so that a run cut short leaves what it had."""
    kept: list[Row] = []
    for row in rows:
        kept.append(row)
        write(kept, directory, name)


if __name__ == "__main__":
    main()
