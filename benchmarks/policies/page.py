"""The page: what was found in five lines, then the tables, then how it was run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import tables
from .cells import DATA_SEEDS
from .methods import OURS, PICTURE_UPDATES, TITLES, UPDATES
from .peers.environment import D3RLPY
from .peers.learning import PEERS
from .runs import Run
from .scores import CLOSE, CellScores

AIMS = {
    "lunarlander-medium-20k": 180.0,
    "cartpole-random-2k": 480.0,
    "mountaincar-medium-20k": -105.0,
    "acrobot-medium-20k": -85.0,
}
"""Returns that `fit` was meant to reach."""
OPEN = "lunarlander-random-20k"
"""The cell that was left as a challenge."""


def page(runs: Iterable[Run], about: dict[str, Any]) -> str:
    """Return the whole page as Markdown."""
    kept = list(runs)
    cells = tables.cells_with(kept, ())
    fitted = tables.cells_with(kept, ("fit",))
    compared = tables.cells_with(kept, ("fit", *PEERS))
    lines = ["# Policies from logs", "", *findings(kept, fitted, compared), ""]
    lines += [
        "## Over all cells",
        "",
        "Score: 0 is what random actions earn, 1 what the best method of the cell earns. "
        + _which(cells, compared),
        "",
        *tables.over_cells(compared or cells),
        "",
        "![scores by cell](policies.png)",
        "",
        "## Mean return",
        "",
        "Mean over three data seeds, with its 95 % interval. Exact values for icu-sepsis and "
        "hospital: there the interval is about the data only.",
        "",
        *tables.by_cell(cells),
        "",
        "## Predicted against true",
        "",
        "Discounted value at the start: predicted / true, and the mean error as a share of the "
        "range of the discounted returns of logged episodes and the method's own (in bold above "
        "15 %).",
        "",
        *tables.predictions(cells),
        "",
        "## What `fit` chose",
        "",
        *tables.choices(fitted),
        "",
        "## Single runs",
        "",
        "Of methods that were not run with all three data seeds of a cell. They count nowhere "
        "above.",
        "",
        *tables.single(kept),
        "",
        "## Seconds of processor time",
        "",
        "Of making a policy, median over the data seeds, on a machine that others used too.",
        "",
        *tables.seconds(cells),
        "",
        *_how(kept, about),
    ]
    return "\n".join(lines) + "\n"


def findings(
    runs: Sequence[Run], fitted: Sequence[CellScores], compared: Sequence[CellScores]
) -> list[str]:
    """Return what was found, in five lines."""
    if not fitted:
        return _unfinished(runs)
    worse = [cell.name for cell in fitted if cell.worse_than_behaviour("fit")]
    beaten = [cell for cell in compared if not cell.with_the_best("fit")]
    level = len(compared) - len(beaten)
    near = sum(cell.near_the_best("fit") for cell in compared)
    names = {cell.name for cell in compared}
    others = [cell for cell in fitted if cell.name not in names]
    behind = [cell for cell in others if not cell.with_the_best("fit")]
    errors = {cell.name: cell.prediction("fit") for cell in fitted}
    off = [name for name, one in errors.items() if one is not None and one[2] > CLOSE]
    silent = [name for name, one in errors.items() if one is None]
    right = len(fitted) - len(off) - len(silent)
    return [
        f"1. {_scores(compared)} {_own_score(fitted)}",
        f"2. `fit` is shown to be worse than logged behaviour in {len(worse)} of "
        f"{len(fitted)} cells{_listed(worse)}. {_below(fitted)}{_shown(fitted)}",
        f"3. It is the best method, or not shown to be worse than the best, in {level} of the "
        f"{len(compared)} cells in which all peers were run{_share(level, len(compared))}; within "
        f"5 % of the best in {near}. Somebody else wins{_listed(_lost(beaten)) or ' nowhere'}. "
        f"In the {len(others)} cells that lack peers, something else that was run wins"
        f"{_listed(_lost(behind)) or ' nowhere'}.",
        f"4. Its predicted value is within 15 % of the range of returns in "
        f"{right} of {len(fitted)} cells{_share(right, len(fitted))}"
        f"{_listed(off).replace(':', '; not in:', 1)}"
        f"{_listed(silent).replace(':', '; it says that it knows nothing of a log of:', 1)}.",
        f"5. {_aims({cell.name: cell for cell in fitted})}",
        *_single(runs, fitted),
    ]


def _lost(cells: Sequence[CellScores]) -> list[str]:
    return [f"{one.name} ({TITLES[one.best]}, {_ahead(one)})" for one in cells]


def _below(cells: Sequence[CellScores]) -> str:
    """Return where the mean return is below behaviour's, with the discounted values beside it."""
    said = []
    for cell in cells:
        means = cell.mean("fit"), cell.mean("behaviour")
        own, today = map(tables.number, means)
        if means[0] < means[1] and own != today:
            values = (
                tables.number(float(np.mean([np.mean(run.values) for run in cell.of(one)])))
                for one in ("fit", "behaviour")
            )
            said.append(
                f"{cell.name} ({own} against {today}; discounted, "
                f"which is what it goes by, {' against '.join(values)})"
            )
    return f"Its mean return is below behaviour's in {', '.join(said)}. " if said else ""


def _which(cells: Sequence[CellScores], compared: Sequence[CellScores]) -> str:
    if compared:
        return f"The {len(compared)} cells in which `fit` and all peers were run:"
    return f"The {len(cells)} cells in which some methods were run; none has `fit` and all peers:"


def _unfinished(runs: Sequence[Run]) -> list[str]:
    return [
        "**Unfinished: `fit` was not run with all three data seeds in any cell, so nothing is "
        "said here about how often it is the best, or worse than behaviour.**",
        *_single(runs, ()),
    ]


def _single(runs: Sequence[Run], fitted: Sequence[CellScores]) -> list[str]:
    """Return what `fit` earned in cells that lack a data seed: shown, though not counted."""
    behaviour = {(run.cell, run.seed): run for run in runs if run.method == "behaviour"}
    counted = {cell.name for cell in fitted}
    said = []
    for run in runs:
        if run.method == "fit" and run.cell not in counted:
            today = behaviour.get((run.cell, run.seed))
            earned = tables.number(float(np.mean(run.returns)))
            usual = "not run" if today is None else tables.number(float(np.mean(today.returns)))
            said.append(f"- {run.cell}, data seed {run.seed}: {earned} (behaviour {usual})")
    return ["", "Runs of `fit` not counted, for data seeds are missing:", "", *said] if said else []


def _shown(cells: Sequence[CellScores]) -> str:
    """Return how often `fit` says that its policy is better, and how often that is true."""
    pairs = [
        (run, reference)
        for cell in cells
        for run, reference in zip(cell.of("fit"), cell.of("behaviour"), strict=True)
    ]
    said = [(run, reference) for run, reference in pairs if run.shown]
    true = sum(np.mean(run.values) > np.mean(reference.values) for run, reference in said)
    return (
        f"From {len(said)} of {len(pairs)} logs it says that its policy is shown to be better; "
        f"{true} of those earn more."
    )


def _ahead(cell: CellScores) -> str:
    found = cell.difference(cell.best, "fit")
    low, high = tables.number(found.low), tables.number(found.high)
    return f"{tables.number(found.mean)} more [{low}, {high}]"


def _scores(cells: Sequence[CellScores]) -> str:
    """Return the worst and median score of `fit`, the default plan, and the peers."""
    if not cells:
        return "No cell has all peers yet."
    said = [
        f"{TITLES[method]} {_worst_and_median(own, method)}"
        for method in ("fit", "default", *PEERS)
        if (own := [cell for cell in cells if method in cell.methods])
    ]
    return (
        "Worst and median score (random 0, best method of the cell 1) over the "
        f"{len(cells)} cells in which all peers were run: {'; '.join(said)}."
    )


def _own_score(cells: Sequence[CellScores]) -> str:
    return f"`fit` over all its {len(cells)} cells: {_worst_and_median(cells, 'fit')}."


def _worst_and_median(cells: Sequence[CellScores], method: str) -> str:
    scores = {cell.name: cell.score(method) for cell in cells}
    known = {name: score for name, score in scores.items() if np.isfinite(score)}
    lost = [name for name in scores if name not in known]
    beyond = f"; no method that was run beats random actions in {', '.join(lost)}" if lost else ""
    if not known:
        return beyond.removeprefix("; ")
    worst = min(known, key=lambda name: known[name])
    return f"{known[worst]:.2f} ({worst}), {np.median(list(known.values())):.2f}{beyond}"


def _aims(cells: dict[str, CellScores]) -> str:
    said = []
    for name, aim in AIMS.items():
        if name in cells:
            mean = cells[name].mean("fit")
            word = "reached" if mean >= aim else "missed"
            said.append(f"{name} {tables.number(mean)} (aim {aim:g}, {word})")
    if OPEN in cells:
        cell = cells[OPEN]
        best = f"best: {TITLES[cell.best]}, {tables.number(cell.mean(cell.best))}"
        said.append(f"{OPEN} {tables.number(cell.mean('fit'))} ({best})")
    return f"Mean returns of `fit`: {', '.join(said)}."


def _how(runs: Sequence[Run], about: dict[str, Any]) -> list[str]:
    ours, peers = (
        sorted({run.commit for run in runs if run.method in who}) for who in (OURS, PEERS)
    )
    return [
        "## How it was run",
        "",
        f"`{about['command']}`, {about['processor']}, {about['cores']} cores, one thread per run, "
        f"Python {about['python']}, "
        + ", ".join(f"{name} {version}" for name, version in about["versions"].items())
        + f", {D3RLPY.replace('==', ' ')}. Commits: ours {', '.join(ours)}; peers "
        f"{', '.join(peers)}. One line per run: [policies.jsonl](policies.jsonl).",
        "",
        f"- Data seeds {', '.join(map(str, DATA_SEEDS))}, kept out of tuning. Random data "
        "are of random actions, medium data of a scripted controller with 30 % random actions. "
        "mountaincar-random begins anywhere, and is judged from the usual start.",
        "- Ours: `da.compile(data).solve().policy()` and `da.fit(data).policy`, no argument set, "
        "but `encoder=da.train_dynamics(data)` for the default on pictures. "
        f"Own networks: `da.train_dqn` and `da.train_bcq`, {UPDATES:,} updates.",
        f"- d3rlpy: {UPDATES:,} updates ({PICTURE_UPDATES:,} on pictures), batches of 64, learning "
        "rate 5e-4, target copied every 500 updates, standardised observations, last policy, all "
        "else its defaults. Its defaults for those four are meant for millions of frames. No "
        "method was tuned for a task; more updates or tuning may change the peers' figures.",
        "- All play the same episodes: 50 (LunarLander and pictures 30) per data seed. The return "
        "counts rewards up to the time limit; the value is discounted by 0.99 and goes on behind "
        "it. ICU-Sepsis and the hospital are finite: values come from linear equations.",
        "- Intervals: percentile bootstrap over data seeds and episodes within them, 95 %. "
        "Differences pair seeds and episodes. With three seeds they are rough.",
        *(f"- {note}" for note in about["notes"]),
        "",
        "Not run:",
        "",
        *tables.missing(runs),
    ]


def _listed(names: Sequence[str]) -> str:
    return f": {', '.join(names)}" if names else ""


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.0%})" if whole else ""
