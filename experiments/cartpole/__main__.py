"""Run the study, draw its figures, write its page: `python -m experiments.cartpole`."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from ..page import fill
from .bags import Bags
from .figures import draw
from .grid import settings
from .page import PAGE, study_parts, tables
from .results import Results
from .study import ENCODERS, Scope, run
from .summary import Summary

HERE = Path(__file__).parent


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m experiments.cartpole", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run that checks the parts")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds")
    parser.add_argument("--episodes", type=int, default=30, help="episodes per evaluation")
    parser.add_argument("--cache", type=Path, default=Path("runs/cartpole"), help="for the bags")
    parser.add_argument("--results", type=Path, default=HERE / "results.csv")
    parser.add_argument("--figures", type=Path, default=Path("docs/images"))
    parser.add_argument("--report", action="store_true", help="only draw and write what there is")
    given = parser.parse_args()
    if given.quick:
        given.results, given.figures = given.cache / "quick.csv", given.cache
    results = Results(given.results)
    if not given.report:
        sizes = (2_000,) if given.quick else (10_000, 100_000, 50_000)
        scope = Scope(
            sizes=sizes,
            seeds=range(1 if given.quick else given.seeds),
            episodes=5 if given.quick else given.episodes,
            settings=settings(quick=given.quick),
            encoders=tuple(ENCODERS),
            command=shlex.join(["python", "-m", "experiments.cartpole", *sys.argv[1:]]),
        )
        run(scope, Bags(given.cache, max(sizes), scripted=given.quick), results)
    summary = Summary(results.rows)
    print(tables(summary))
    for path in draw(summary, given.figures):
        print(path)
    if not given.quick:
        PAGE.write_text(fill(PAGE.read_text(), study_parts(summary)))


if __name__ == "__main__":
    main()
