"""The families in a few figures: the worst, the median, the best."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from .questions import Cell, Question
from .rows import BEFORE, Results

PEER = "quantecon"


@dataclass(frozen=True)
class Spread:
    """A figure over the families at one size; `worst` and `best` name theirs."""

    families: int
    worst: tuple[float, str]
    median: float
    best: tuple[float, str]
    at_least: bool

    @property
    def worst_median_best(self) -> list[str]:
        """Return the three as words for a table; `>` where one is a lower bound."""
        mark = ">" if self.at_least else ""
        worst, best = (f"{short(figure)} ({name})" for figure, name in (self.worst, self.best))
        return [worst, mark + short(self.median), mark + best]


def cells_of(results: Results, states: int, question: Question) -> list[Cell]:
    """Return the cells of one question at one size, by family."""
    return [cell for cell in results.cells() if cell.states == states and cell.question == question]


def ratios(
    results: Results, states: int, question: Question, peer: str = PEER, ours: str = BEFORE
) -> Spread | None:
    """Return how many times as long as ours a peer takes, over the families."""
    found, at_least = [], False
    for cell in cells_of(results, states, question):
        ratio, theirs = results.ratio(cell, peer, ours), results.of(cell, peer)
        if ratio is not None and theirs is not None:
            found.append((ratio, cell.family))
            at_least |= theirs.stopped
    if not found:
        return None
    middle = median(ratio for ratio, _ in found)
    return Spread(len(found), min(found), middle, max(found), at_least)


def seconds(results: Results, states: int, question: Question, ours: str = BEFORE) -> Spread | None:
    """Return our own seconds over the families; the worst is the longest."""
    rows = [results.of(cell, ours) for cell in cells_of(results, states, question)]
    found = [(row.seconds, row.family) for row in rows if row is not None]
    if not found:
        return None
    middle = median(spent for spent, _ in found)
    return Spread(len(found), max(found), middle, min(found), at_least=False)


def short(figure: float) -> str:
    """Return a figure with two or three digits."""
    if figure >= 100:
        return f"{figure:.0f}"
    return f"{figure:.2g}" if figure < 10 else f"{figure:.3g}"


def size(states: int) -> str:
    """Return a number of states as people write it."""
    return f"{states / 1e6:g}M" if states >= 1_000_000 else f"{states / 1e3:g}k"
