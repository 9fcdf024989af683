"""A CSV file to which a long experiment adds a row per finished piece of work.

A row is written at once and whole; an experiment that was stopped skips what is there.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

import deepaveragers as da


class Ledger:
    """Rows of text by their key.

    Args:
        file: the CSV file; made with the first row.
        key: columns that name a piece of work.
        values: the other columns.
    """

    def __init__(self, file: Path, key: Sequence[str], values: Sequence[str]) -> None:
        self._file = file
        self._key = tuple(key)
        self._columns = (*key, *values)
        self.rows: list[dict[str, str]] = []
        if file.exists():
            text = file.read_text()
            # A row that a kill has torn has no end of line: it is cut off and made again.
            whole = text[: text.rfind("\n") + 1]
            if whole != text:
                file.write_text(whole)
            self.rows = list(csv.DictReader(io.StringIO(whole)))
        self._done = {self._key_of(row) for row in self.rows}

    def has(self, **key: object) -> bool:
        """Whether this piece of work is done."""
        return self._key_of(key) in self._done

    def add(self, **row: object) -> None:
        """Write a row."""
        entry = {name: str(row[name]) for name in self._columns}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, lineterminator="\n")
        if not self.rows:
            writer.writeheader()
        writer.writerow(entry)
        with open(self._file, "a" if self.rows else "w") as stream:
            stream.write(text.getvalue())
            stream.flush()
            os.fsync(stream.fileno())
        self.rows.append(entry)
        self._done.add(self._key_of(entry))

    def select(self, **wanted: object) -> list[dict[str, str]]:
        """Return the rows with these entries."""
        return [row for row in self.rows if all(row[name] == str(v) for name, v in wanted.items())]

    def _key_of(self, row: Mapping[str, object]) -> tuple[str, ...]:
        return tuple(str(row[name]) for name in self._key)


def written(returns: Iterable[float]) -> str:
    """Return numbers as one entry of a row."""
    return " ".join(f"{number:g}" for number in returns)


def pooled(rows: Iterable[Mapping[str, str]]) -> da.EvaluationReport:
    """Return the report of all episodes of the rows together."""
    returns = np.array([float(word) for row in rows for word in row["returns"].split()])
    return da.EvaluationReport(returns, np.zeros(len(returns), np.int64), 0.0)
