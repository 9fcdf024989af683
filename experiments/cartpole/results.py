"""The results: one CSV row per bag, representation, setting and seed, appended as they come."""

from __future__ import annotations

import csv
import os
import platform
import subprocess
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """What one policy earned, and how that was found."""

    bag: str
    size: int
    encoder: str
    seed: int
    cost: float
    k: int
    k_pi: int
    lookup: str
    weighting: str
    epsilon: float
    episodes: int
    mean_return: float
    deviation: float
    certified_error: float
    behaviour: float
    seconds: float
    command: str
    commit: str
    hardware: str

    @property
    def key(self) -> tuple[object, ...]:
        """What the row is about."""
        return tuple(asdict(self).values())[:10]


class Results:
    """Rows in a file; those of an earlier run are kept and not computed again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows = read(path) if path.exists() else []
        self._known = {row.key for row in self.rows}

    def __contains__(self, key: tuple[object, ...]) -> bool:
        return key in self._known

    def add(self, row: Row) -> None:
        """Append a row to the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not self._path.exists()
        with self._path.open("a", newline="") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow([field.name for field in fields(Row)])
            writer.writerow(asdict(row).values())
        self.rows.append(row)
        self._known.add(row.key)


def read(path: Path) -> list[Row]:
    """Return the rows of a file."""
    kinds = {"str": str, "int": int, "float": float}
    with path.open(newline="") as file:
        return [
            Row(**{field.name: kinds[str(field.type)](line[field.name]) for field in fields(Row)})
            for line in csv.DictReader(file)
        ]


def commit() -> str:
    """Return the commit that is checked out; marked where more than results differs from it."""
    if not (found := _git("rev-parse", "--short", "HEAD")):
        return "unknown"
    changed = _git(
        "status", "--porcelain", "--untracked-files=no", "--", ":/", ":(exclude,top)*.csv"
    )
    return f"{found}-dirty" if changed else found


def _git(*words: str) -> str:
    asked = ["git", "-C", str(Path(__file__).parent), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def hardware() -> str:
    """Return the processor and its number of cores."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores"
