"""The results: one JSON line per solver and cell, appended as they come."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .questions import Cell, Question

FIRST, BEFORE = "deepaveragers, first plan", "deepaveragers, MDP solved before"
OURS = (FIRST, BEFORE)


@dataclass(frozen=True)
class Row:
    """One solver on one cell.

    Attributes:
        family, states, gamma, cost, slip, worst_case, tolerance: the cell.
        actions: how many the MDP has.
        solver: `FIRST`, `BEFORE`, or the name of a peer.
        seconds: wall-clock time, the median of `times`.
        times: every timed run.
        true_error: against the reference, in units of what was asked; what the reference
            may be wrong by is added. None where a peer was stopped without values.
        certified_error: what the plan itself proves, in the same units; None for peers.
        bounds_hold: whether the reference lies within the plan's bounds; None for peers.
        sweeps: iterations as the solver counts them.
        stopped: whether it was ended before it was done: its time is a lower bound.
        commit: version that was measured.
        load: load average of the machine when the cell began.
    """

    family: str
    states: int
    gamma: float
    cost: float
    slip: float
    worst_case: float
    tolerance: float
    actions: int
    solver: str
    seconds: float
    times: list[float]
    true_error: float | None
    certified_error: float | None
    bounds_hold: bool | None
    sweeps: int
    stopped: bool
    commit: str
    load: float

    @property
    def cell(self) -> Cell:
        """Return the cell that it is a row of."""
        question = Question(self.gamma, self.cost, self.slip, self.worst_case)
        return Cell(self.family, self.states, question, self.tolerance)


class Results:
    """The rows of a file, the newest of each cell and solver."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: dict[tuple[Cell, str], Row] = {(row.cell, row.solver): row for row in rows}

    def __iter__(self) -> Any:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, cell: Cell, solver: str) -> Row | None:
        """Return the row of a solver, if there is one."""
        return self._rows.get((cell, solver))

    def add(self, row: Row) -> None:
        """Take in a row; it replaces an older one of its cell and solver."""
        self._rows[row.cell, row.solver] = row

    def cells(self) -> list[Cell]:
        """Return every cell that has a row, in the order in which they came."""
        return list(dict.fromkeys(cell for cell, _ in self._rows))

    def ratio(self, cell: Cell, peer: str, ours: str = BEFORE) -> float | None:
        """Return how many times as long as ours a peer took, at least."""
        theirs, own = self.of(cell, peer), self.of(cell, ours)
        return theirs.seconds / own.seconds if theirs and own else None


def read(path: Path) -> Results:
    """Return the results of a file; of none, where there is no file."""
    if not path.exists():
        return Results()
    return Results(Row(**json.loads(line)) for line in path.read_text().splitlines())


def append(path: Path, rows: Iterable[Row]) -> None:
    """Add rows to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(asdict(row)) + "\n" for row in rows)
