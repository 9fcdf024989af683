"""Run the study: `python -m experiments.navigation [--quick]`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .ablation import VARIANTS, run_ablation
from .baselines import TRAINERS, run_baseline
from .comparison import run_compared
from .results import Row, read_file, tabulate, write
from .rooms import ROOMS
from .study import FULL, QUICK, Scale, run_room
from .timing import run_timing
from .turning import run_turning

HERE = Path(__file__).parent
PARTS = (*ROOMS, "ablation", "baselines", "compared", "turning", "timing")
COMPARED_STEPS, COMPARED_UPDATES, COMPARED_WALK = 30_000, 4_000, 10
TURNING_WALKS = (10, 11, 12)


def main() -> None:
    """Parse the command line and run what it asks."""
    parser = argparse.ArgumentParser(prog="python -m experiments.navigation", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small walks and few episodes")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument(
        "--seeds", nargs="+", type=int, help="walks; default: 0 1 2, quick and ablation: 0"
    )
    parser.add_argument("--baselines", nargs="+", choices=list(TRAINERS), default=list(TRAINERS))
    parser.add_argument("--updates", type=int, help="of a baseline; default: 5000, quick: 20")
    parser.add_argument("--rooms", nargs="+", choices=list(ROOMS), default=list(ROOMS))
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
    if options.updates:
        scale = replace(scale, updates=options.updates)
    runs = options.runs / "quick" if options.quick else options.runs
    results = options.results or (runs if options.quick else HERE / "results")
    images = options.images or (runs if options.quick else Path("docs/images"))
    first = scale.seeds[0]
    for part in options.parts:
        if part == "ablation":
            for seed in options.seeds or (first,):
                rows = run_ablation(scale, runs, options.variants, seed)
                _keep(rows, results, f"{part}-{seed}")
        elif part == "baselines":
            for baseline in options.baselines:
                rows = run_baseline(baseline, "simple-room", first, scale, runs)
                _keep(rows, results, f"baseline-{baseline.lower()}")
        elif part == "compared":
            _compare(options, scale, runs, results / part)
        elif part == "turning":
            for seed in options.seeds or (scale.seeds if options.quick else TURNING_WALKS):
                _keep(run_turning(seed, scale, runs), results / part, f"{part}-{seed}")
            tabulate(results / part)
        elif part == "timing":
            run_timing(scale, runs, results / "timing.csv")
        else:
            for seed in options.seeds or scale.seeds:
                drawn = images if seed == first else None
                _keep(run_room(part, seed, scale, runs, drawn), results, f"{part}-{seed}")
    tabulate(results)


def _compare(options: argparse.Namespace, scale: Scale, runs: Path, results: Path) -> None:
    """Run plans beside networks in each room; a run that was stopped goes on."""
    if not options.quick:
        updates = options.updates or COMPARED_UPDATES
        scale = replace(scale, steps=COMPARED_STEPS, updates=updates, choosing_episodes=30)
        scale = replace(scale, episodes=dict.fromkeys(ROOMS, 60))
    for room in options.rooms:
        for seed in options.seeds or (COMPARED_WALK,):
            kept = read_file(results / f"{room}-{seed}.json")
            done = {(row.case, row.representation) for row in kept}
            _keep(run_compared(room, seed, scale, runs, done), results, f"{room}-{seed}", kept)
    tabulate(results)


def _keep(rows: Iterator[Row], directory: Path, name: str, kept: Sequence[Row] = ()) -> None:
    """Write the file again after every row, so that a run cut short leaves what it had."""
    kept = list(kept)
    for row in rows:
        kept.append(row)
        write(kept, directory, name)


if __name__ == "__main__":
    main()
