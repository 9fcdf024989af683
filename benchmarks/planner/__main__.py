"""How fast certified plans are, beside other solvers, over families of MDPs.

`python -m benchmarks.planner --report` makes the published page; with `--keep all --output DIR`
and some families it may run in pieces, and `--report --page` then writes the page. Without
`--report`, MDPs of other seeds and parameters are planned: settings are chosen on those only.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from itertools import groupby
from pathlib import Path

from . import reporting
from .circumstances import circumstances
from .families import CACHE, FAMILIES, Stage, states
from .measuring import Subject, measure
from .questions import QUICK, QUICK_FAMILIES, Cell, cells
from .rows import BEFORE, OURS, Results, Row, append, read

PUBLISHED = Path("docs/benchmarks")
README = Path("README.md")


def main() -> None:
    """Measure, show, and write the results."""
    arguments = _arguments()
    stage: Stage = "report" if arguments.report else "development"
    part = arguments.quick or arguments.families or arguments.sizes or arguments.gammas
    published = arguments.report and not part
    output = arguments.output or (PUBLISHED if published else arguments.cache / stage)
    about = circumstances(_command(sys.argv[1:]))
    begin = time.perf_counter()
    keep = "all" if arguments.page else arguments.keep
    results = Results() if arguments.prepare else _kept(output / "planner.jsonl", keep)
    asked = [] if arguments.page else list(_cells(arguments))
    for (family, size), group in groupby(asked, key=lambda cell: (cell.family, cell.states)):
        todo = [cell for cell in group if _missing(cell, results, arguments.peers)]
        if not todo:
            continue
        subject = Subject(family, size, stage, arguments.cache)
        for cell in todo:
            if arguments.prepare:
                _say(cell, f"reference within {subject.reference(cell).error:.1g}")
                continue
            missing = _missing(cell, results, arguments.peers)
            peers = [name for name in missing if name not in OURS]
            rows = list(measure(subject, cell, peers, about["commit"]))
            append(output / "planner.jsonl", rows)
            for row in rows:
                results.add(row)
            _say(cell, _line(cell, results))
        del subject  # Before the next is loaded: one MDP and its matrices fill memory enough.
    if arguments.prepare or not len(results):
        return
    about["seconds"] = time.perf_counter() - begin
    (output / "planner.md").write_text(reporting.page(results, about))
    (output / "planner.json").write_text(json.dumps(about, indent=1) + "\n")
    print("\n".join(reporting.summary_table(results)))
    if output == PUBLISHED:
        README.write_text(reporting.with_summary(README.read_text(), results, about))
    print(f"Written to {output}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planner", description=__doc__)
    stage = parser.add_mutually_exclusive_group()
    stage.add_argument("--development", action="store_true", help="MDPs to tune on (the default)")
    stage.add_argument("--report", action="store_true", help="MDPs to publish")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} states of eight families")
    parser.add_argument("--families", type=_names, metavar="A,B", help=", ".join(FAMILIES))
    parser.add_argument("--sizes", type=_sizes, metavar="300k,1m", help="numbers of states")
    parser.add_argument("--gammas", type=_numbers, metavar=".99,.999", help="discounts only")
    parser.add_argument("--peers", choices=["none", "quantecon", "all"], default="all")
    parser.add_argument(
        "--keep",
        choices=["none", "peers", "all"],
        default="none",
        help="rows of earlier runs that are not measured again; 'all' goes on after a stop",
    )
    parser.add_argument(
        "--page", action="store_true", help="the page of rows that are kept; measures nothing"
    )
    parser.add_argument("--prepare", action="store_true", help="MDPs and references only")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="compiled MDPs")
    parser.add_argument("--output", type=Path, metavar="DIR", help="of rows and page")
    return parser.parse_args()


def _command(given: list[str]) -> str:
    """Return the command for the page, without the folders of one machine."""
    folders = [place for place, word in enumerate(given) if word in ("--cache", "--output")]
    left_out = {*folders, *(place + 1 for place in folders)}
    words = [word for place, word in enumerate(given) if place not in left_out]
    return " ".join(["python -m benchmarks.planner", *words])


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = sorted(set(names) - set(FAMILIES))
    if unknown:
        raise argparse.ArgumentTypeError(f"no family {', '.join(unknown)}")
    return names


def _sizes(text: str) -> list[int]:
    return [states(size) for size in text.split(",")]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _cells(arguments: argparse.Namespace) -> list[Cell]:
    families, sizes = arguments.families, arguments.sizes
    if arguments.quick:
        families, sizes = families or list(QUICK_FAMILIES), sizes or [QUICK]
    return list(cells(families, sizes, arguments.gammas))


def _missing(cell: Cell, results: Results, peers: str) -> list[str]:
    """Return the solvers that have no row of a cell yet; ours are always timed with a peer."""
    wanted = [
        name
        for name in cell.peers
        if peers in ("all", name) and importlib.util.find_spec(name) is not None
    ]
    return [name for name in (*OURS, *wanted) if results.of(cell, name) is None]


def _kept(path: Path, keep: str) -> Results:
    """Return the rows that are not measured again; the file then holds those only."""
    rows: list[Row] = [
        row for row in read(path) if keep == "all" or (keep == "peers" and row.solver not in OURS)
    ]
    path.unlink(missing_ok=True)
    append(path, rows)
    return Results(rows)


def _line(cell: Cell, results: Results) -> str:
    ours = results.of(cell, BEFORE)
    assert ours is not None
    ratios = {peer: results.ratio(cell, peer) for peer in cell.peers}
    said = [f"{peer} {ratio:.1f}x" for peer, ratio in ratios.items() if ratio is not None]
    return f"{ours.seconds:.3f} s, {ours.sweeps} sweeps, " + ", ".join(
        [f"certified {ours.certified_error:.2g}, true {ours.true_error:.2g}", *said]
    )


def _say(cell: Cell, what: str) -> None:
    print(f"{cell.family} {cell.states:,} {cell.question}: {what}", flush=True)


if __name__ == "__main__":
    main()
