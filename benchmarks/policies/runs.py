"""One small JSON file per cell, data seed and method: what is there is not run again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a method earned in a cell.

    Attributes:
        cell: name of the cell.
        seed: of the data.
        method: name of the method.
        returns: of each played episode; one exact number in a finite world.
        values: the same, discounted.
        predicted: value at the log's starts as the method sees it; None where it sees none, or says
            that nothing can be said.
        seconds: of processor time that making the policy took.
        commit: that ran.
        chosen: what `fit` chose.
        shown: whether `fit` says that the policy is shown to be better than behaviour.
        logged: least and largest discounted return of the logged episodes.
    """

    cell: str
    seed: int
    method: str
    returns: list[float]
    values: list[float]
    predicted: float | None
    seconds: float
    commit: str
    logged: tuple[float, float]
    chosen: str | None = None
    shown: bool | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """What names the run."""
        return self.cell, self.seed, self.method


class Runs:
    """The runs that are there: files of a folder, and lines of a published file.

    Args:
        folder: one file per run.
        published: lines of JSON of runs that were made before; need not be there.
    """

    def __init__(self, folder: Path, published: Path | None = None) -> None:
        self._folder = folder
        self._runs: dict[tuple[str, int, str], Run] = {}
        if published is not None and published.exists():
            self._add(_read(line) for line in published.read_text().splitlines())
        self.refresh()

    def refresh(self) -> None:
        """Read what others have written to the folder meanwhile."""
        self._add(_read(path.read_text()) for path in sorted(self._folder.glob("*.json")))

    def has(self, cell: str, seed: int, method: str) -> bool:
        """Whether a run is there; other processes may have made it meanwhile."""
        return (cell, seed, method) in self._runs or self._file(cell, seed, method).exists()

    def add(self, run: Run) -> None:
        """Keep a run: its file is there whole, or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._file(*run.key)
        unfinished = file.with_suffix(f".{os.getpid()}.part")
        unfinished.write_text(_written(run) + "\n")
        unfinished.replace(file)
        self._runs[run.key] = run

    def publish(self, path: Path) -> None:
        """Write all runs as lines of JSON."""
        path.write_text("".join(_written(run) + "\n" for run in self))

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs[key] for key in sorted(self._runs))

    def __len__(self) -> int:
        return len(self._runs)

    def _add(self, runs: Iterable[Run]) -> None:
        self._runs.update((run.key, run) for run in runs)

    def _file(self, cell: str, seed: int, method: str) -> Path:
        return self._folder / f"{cell}.{seed}.{method}.json"


def _written(run: Run) -> str:
    fields = asdict(run)
    for name in ("returns", "values"):
        fields[name] = [float(f"{number:.6g}") for number in fields[name]]
    return json.dumps(fields)


def _read(text: str) -> Run:
    fields = json.loads(text)
    return Run(**{**fields, "logged": tuple(fields["logged"])})
