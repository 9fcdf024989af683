"""One column of observations: numbers, or categories that become a column per label."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError
from .cells import Labels
from .notation import MissingCells, Notation, is_null
from .numbers import Where, as_numbers, is_number

MOST_CATEGORIES = 20
"""Different texts up to which a column is read as categories unasked."""
MOST_ASKED_CATEGORIES = 1000
"""Different labels of a column that the caller calls categorical."""


class ObservationColumn:
    """Turns the cells of a column into numbers, a chunk at a time.

    A column whose first filled cell is text holds categories; its numbers are codes of labels
    until all rows are known. Text with too many labels, and dates, are left out where the
    caller did not name the column, and refused where he did.

    Attributes:
        name: of the column.
        width: numbers per cell, more than one for columns of lists.
        left_out: why the column is not used; None if it is.
    """

    def __init__(
        self,
        name: str,
        notation: Notation,
        missing: MissingCells,
        *,
        categorical: bool,
        named: bool,
    ) -> None:
        self.name, self.width = name, 1
        self.left_out: str | None = None
        self._notation, self._missing = notation, missing
        self._asked, self._named = categorical, named
        self._labels: Labels | None = None
        self._filled = False
        if categorical:
            self._labels = Labels(notation, missing.of(name))

    def numbers(self, cells: Array, where: Where) -> Array:
        """Return [n] or [n, width] numbers, or codes of categories; NaN where missing."""
        if not self._filled:
            self._decide(cells, where)
        if self.left_out is not None:
            return np.zeros(len(cells), dtype=np.float32)
        if self._labels is not None:
            return self._codes(cells, where)
        if not self._filled:
            empty = np.full(len(cells), np.nan, dtype=np.float32)
            return empty if cells.dtype.kind in "OU" else self._read(cells, where)
        return self._read(cells, where)

    def categories(self) -> list[str] | None:
        """Return the labels by code; None for a column of numbers."""
        return None if self._labels is None else [str(one) for one in self._labels.values()]

    def order(self) -> list[int]:
        """Return the codes in the order of their labels: by number, or by alphabet."""
        assert self._labels is not None
        values = self._labels.values()
        return sorted(range(len(values)), key=values.__getitem__)

    def close(self) -> None:
        """Judge the column when all rows were read: one without any value is left out."""
        if not self._filled and not self._named and self.left_out is None:
            self._leave_out("has no values")

    def _read(self, cells: Array, where: Where) -> Array:
        numbers = as_numbers(cells, where, self._notation, self._missing.of(self.name))
        self.width = numbers.shape[1] if numbers.ndim == 2 else 1
        return numbers

    def _decide(self, cells: Array, where: Where) -> None:
        # "none" decides only where nothing else does: among numbers it stands for nothing.
        found = _first_filled(cells, self._notation.no_number)
        found = found or _first_filled(cells, self._notation.no_label)
        if found is None:
            return
        self._filled = True
        row, cell = found
        dated = cells.dtype.kind == "M" or isinstance(cell, date) or _is_date(cell)
        if self._asked:
            return
        if dated:
            self._refuse_or_leave_out(
                "holds dates", where(row), "a number", repr(cell), "Make it --time, or a number."
            )
        elif isinstance(cell, str) and not is_number(cell, self._notation):
            self._labels = Labels(self._notation, self._missing.of(self.name))

    def _codes(self, cells: Array, where: Where) -> Array:
        assert self._labels is not None
        known = len(self._labels.distinct())
        codes = self._labels.codes(cells, where)
        labels = self._labels.distinct()
        most = MOST_ASKED_CATEGORIES if self._asked else MOST_CATEGORIES
        if not self._asked:
            for place in range(known, len(labels)):
                self._check_text(labels[place], self._labels.place(place))
        if len(labels) > most:
            self._refuse_or_leave_out(
                f"has more than {most} different texts",
                self._labels.place(most),
                f"one of at most {most} different categories in this column",
                repr(labels[most]),
                "" if self._asked else "Say categorical (--categorical) if it is one.",
            )
            return np.zeros(len(cells), dtype=np.float32)
        return np.where(codes < 0, np.nan, codes).astype(np.float32)

    def _check_text(self, label: Any, place: str) -> None:
        if not isinstance(label, str) or is_number(label, self._notation):
            assert self._labels is not None
            other = next(one for one in self._labels.distinct() if isinstance(one, str))
            raise InputError(
                place,
                f"text like {other!r} in rows before, or all of the column numbers",
                repr(label),
                f"Repair the column, or say categorical={self.name!r} (--categorical).",
            )

    def _refuse_or_leave_out(
        self, reason: str, place: str, allowed: str, received: str, remedy: str
    ) -> None:
        if self._named or self._asked:
            raise InputError(place, allowed, received[:60], remedy)
        self._leave_out(reason)

    def _leave_out(self, reason: str) -> None:
        self.left_out = reason
        self._labels = None
        self._missing.of(self.name).clear()


def _first_filled(cells: Array, blank: frozenset[str]) -> tuple[int, Any] | None:
    if cells.dtype.kind not in "OU":
        return (0, cells[0]) if len(cells) else None
    for row, cell in enumerate(cells.tolist()):
        if isinstance(cell, str):
            if cell.strip().casefold() not in blank:
                return row, cell
        elif not is_null(cell):
            return row, cell
    return None


def _is_date(cell: Any) -> bool:
    if not isinstance(cell, str) or len(cell.strip()) < len("2026-01-01"):
        return False
    try:
        date.fromisoformat(cell.strip()[: len("2026-01-01")])
    except ValueError:
        return False
    return True
