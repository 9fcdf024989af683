"""The tables of the page: over all cells, per cell, predictions, time, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .cells import CELLS, DATA_SEEDS
from .methods import METHODS, REFERENCES, TITLES
from .runs import Run
from .scores import CLOSE, CellScores

Lines = list[str]


def cells_with(runs: Iterable[Run], methods: Sequence[str]) -> list[CellScores]:
    """Return the cells in which these methods, behaviour and random actions are run."""
    kept = list(runs)
    cells = [CellScores(name, kept) for name in CELLS]
    wanted = {*methods, *REFERENCES}
    return [cell for cell in cells if wanted <= set(cell.methods) and cell.candidates]


def over_cells(cells: Sequence[CellScores]) -> Lines:
    """Return a row per method: the worst score before the median."""
    lines = [
        "| method | cells | score: worst | median | best or not shown to be worse | within 5 % of "
        "the best | shown to be worse than behaviour | predicted within 15 % |",
        "|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    for method in METHODS:
        own = [cell for cell in cells if method in cell.methods]
        if not own:
            continue
        scores = {cell.name: cell.score(method) for cell in own}
        known = {name: score for name, score in scores.items() if np.isfinite(score)}
        worst = min(known or scores, key=lambda name: scores[name])
        shown = [TITLES[method], str(len(own)), f"{scores[worst]:.2f} ({worst})"]
        shown.append(f"{np.median(list((known or scores).values())):.2f}")
        if method in REFERENCES:
            lines.append(_row([*shown, "", "", "", ""]))
            continue
        shown += [
            str(sum(cell.with_the_best(method) for cell in own)),
            str(sum(cell.near_the_best(method) for cell in own)),
            str(sum(cell.worse_than_behaviour(method) for cell in own)),
            _right(own, method),
        ]
        lines.append(_row(shown))
    return lines


def by_cell(cells: Sequence[CellScores]) -> Lines:
    """Return a row per cell: mean return and interval of every method, the best in bold."""
    methods = [one for one in METHODS if any(one in cell.methods for cell in cells)]
    lines = [_row(["cell", *(TITLES[one] for one in methods)]), "|---" * (len(methods) + 1) + "|"]
    for cell in cells:
        shown = [cell.name]
        for method in methods:
            if method not in cell.methods:
                shown.append("")
                continue
            low, high = cell.interval(method)
            mean = number(cell.mean(method))
            mark = "**" if method == cell.best else ""
            shown.append(f"{mark}{mean}{mark} [{number(low)}, {number(high)}]")
        lines.append(_row(shown))
    return lines


def predictions(cells: Sequence[CellScores]) -> Lines:
    """Return predicted and true values at the start, a column per method that predicts."""
    methods = [
        one
        for one in METHODS
        if any(one in cell.methods and cell.prediction(one) for cell in cells)
    ]
    lines = [_row(["cell", *(TITLES[one] for one in methods)]), "|---" * (len(methods) + 1) + "|"]
    for cell in cells:
        shown = [cell.name]
        for method in methods:
            found = cell.prediction(method) if method in cell.methods else None
            if found is None:
                shown.append("withheld" if method in cell.methods else "")
                continue
            said, true, error = found
            mark = "" if error <= CLOSE else "**"
            shown.append(f"{number(said)} / {number(true)}, {mark}{error:.0%}{mark}")
        lines.append(_row(shown))
    return lines


def choices(cells: Sequence[CellScores]) -> Lines:
    """Return what `fit` chose, and what that earned, by data seed."""
    lines = ["| cell | data seed | chosen | return | shown to be better |", "|---|---|---|---|---|"]
    for cell in cells:
        for run in cell.of("fit"):
            said = "yes" if run.shown else "no"
            mean = number(float(np.mean(run.returns)))
            lines.append(_row([cell.name, str(run.seed), str(run.chosen), mean, said]))
    return lines


def seconds(cells: Sequence[CellScores]) -> Lines:
    """Return the processor time of making a policy."""
    methods = [
        one
        for one in METHODS
        if one not in REFERENCES and any(one in cell.methods for cell in cells)
    ]
    lines = [_row(["cell", *(TITLES[one] for one in methods)]), "|---" * (len(methods) + 1) + "|"]
    for cell in cells:
        times = [f"{cell.seconds(one):.0f}" if one in cell.methods else "" for one in methods]
        lines.append(_row([cell.name, *times]))
    return lines


def single(runs: Iterable[Run]) -> Lines:
    """Return the runs of methods that lack a data seed: figures, but no intervals."""
    kept = list(runs)
    behaviour = {(run.cell, run.seed): run for run in kept if run.method == "behaviour"}
    whole = {(cell, one) for cell in CELLS for one in CellScores(cell, kept).methods}
    lines = [
        "| cell | data seed | method | return | behaviour | value predicted / true | chosen |",
        "|---|---|---|---|---|---|---|",
    ]
    for run in kept:
        if (run.cell, run.method) in whole or run.method in REFERENCES:
            continue
        today = behaviour.get((run.cell, run.seed))
        true = number(float(np.mean(run.values)))
        lines.append(
            _row(
                [
                    run.cell,
                    str(run.seed),
                    TITLES[run.method],
                    number(float(np.mean(run.returns))),
                    "" if today is None else number(float(np.mean(today.returns))),
                    true if run.predicted is None else f"{number(run.predicted)} / {true}",
                    run.chosen or "",
                ]
            )
        )
    return lines


def missing(runs: Iterable[Run]) -> Lines:
    """Return what was not run, a line per cell."""
    done = {run.key for run in runs}
    lines = []
    for cell in CELLS:
        left = {
            one: [seed for seed in DATA_SEEDS if (cell, seed, one) not in done] for one in METHODS
        }
        wanted = [TITLES[one] + _seeds(seeds) for one, seeds in left.items() if seeds]
        if len(wanted) == len(METHODS) and all(len(seeds) == 3 for seeds in left.values()):
            lines.append(f"- {cell}: everything")
        elif wanted:
            lines.append(f"- {cell}: {', '.join(wanted)}")
    return lines or ["- nothing"]


def number(value: float) -> str:
    """Return a figure with as many digits as say something."""
    if abs(value) >= 100.0:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 2.0 else f"{value:.3f}".replace("-0.000", "0.000")


def _right(cells: Sequence[CellScores], method: str) -> str:
    found = [cell.prediction(method) for cell in cells]
    said = [one for one in found if one is not None]
    return f"{sum(one[2] <= CLOSE for one in said)} of {len(said)}" if said else ""


def _seeds(seeds: Sequence[int]) -> str:
    return "" if len(seeds) == len(DATA_SEEDS) else f" (seeds {', '.join(map(str, seeds))})"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
