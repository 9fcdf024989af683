"""How good policies are that are made from a log: ours beside d3rlpy's, on the same data.

`python -m benchmarks.policies --prepare` makes the peers' environment; `python -m
benchmarks.policies` runs what is missing and writes the page. A run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from ..planner.circumstances import circumstances, commit
from .cells import CELLS, DATA_SEEDS
from .measuring import log_of, measure
from .methods import METHODS
from .page import page
from .peers import environment
from .peers.learning import PEERS, Peers
from .picture import draw
from .runs import Runs
from .tables import cells_with

PUBLISHED = Path("docs/benchmarks")
FOLDER = Path("runs/policies")


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing, and write the page."""
    given = _arguments(arguments)
    if given.prepare:
        environment.prepare(given.peers)
        return
    runs = Runs(given.runs, given.output / "policies.jsonl")
    if not given.report:
        with Peers(given.peers) as peers:
            _run_missing(given, runs, peers)
    _write(runs, given.output, given.note)


def _run_missing(given: argparse.Namespace, runs: Runs, peers: Peers) -> None:
    running = commit()
    for name in given.cells:
        for seed in given.seeds:
            missing = [one for one in given.methods if not runs.has(name, seed, one)]
            if not missing:
                continue
            data = log_of(CELLS[name], seed, given.runs)
            for method in missing:
                began = time.perf_counter()
                run = measure(CELLS[name], seed, method, data, peers, running)
                runs.add(run)
                took = time.perf_counter() - began
                said = "" if run.predicted is None else f", value {run.predicted:.4g} predicted"
                found = f"{np.mean(run.returns):.4g}, value {np.mean(run.values):.4g}{said}"
                print(f"{name} {seed} {method}: {found}, {took:.0f} s", flush=True)


def _write(runs: Runs, output: Path, notes: list[str]) -> None:
    """Write the page, its picture, and the runs behind them; earlier notes are kept."""
    output.mkdir(parents=True, exist_ok=True)
    runs.refresh()
    runs.publish(output / "policies.jsonl")
    about = circumstances("python -m benchmarks.policies")
    kept = output / "policies.json"
    before = json.loads(kept.read_text())["notes"] if kept.exists() else []
    about["notes"] = list(dict.fromkeys([*before, *notes]))
    kept.write_text(json.dumps(about, indent=1) + "\n")
    (output / "policies.md").write_text(page(runs, about))
    cells = cells_with(runs, ())
    if cells:
        draw(cells, output / "policies.png")
    print(f"Written to {output}")


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.policies", description=__doc__)
    parser.add_argument("--cells", type=_some(CELLS), default=list(CELLS), metavar="A,B")
    parser.add_argument("--methods", type=_some(METHODS), default=list(METHODS), metavar="A,B")
    parser.add_argument("--seeds", type=_numbers, default=list(DATA_SEEDS), metavar="10,11")
    parser.add_argument("--report", action="store_true", help="only write the page")
    parser.add_argument("--note", action="append", default=[], help="what readers are to know")
    parser.add_argument("--prepare", action="store_true", help="make the peers' environment")
    parser.add_argument("--peers", type=Path, default=environment.DEFAULT, metavar="DIR")
    parser.add_argument("--runs", type=Path, default=FOLDER, metavar="DIR", help="a file per run")
    parser.add_argument("--output", type=Path, default=PUBLISHED, metavar="DIR", help="of the page")
    given = parser.parse_args(arguments)
    asked = set(given.methods) & set(PEERS)
    if asked and not (given.prepare or given.report or environment.is_there(given.peers)):
        parser.error(f"no environment for {', '.join(sorted(asked))}: run with --prepare first")
    return given


def _some(known: Collection[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        names = text.split(",")
        unknown = sorted(set(names) - set(known))
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}")
        return names

    return read


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
