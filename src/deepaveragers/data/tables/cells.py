"""Cells of a table as flags and labels, with the place of what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from ...arrays import Array, Int64
from ...errors import InputError
from .notation import PLAIN, Notation, is_null
from .numbers import Where

TRUE_TEXT = frozenset({"true", "t", "yes", "y", "1", "1.0"})
FALSE_TEXT = frozenset({"false", "f", "no", "n", "0", "0.0"})
WHOLE = re.compile(r"0|-?[1-9]\d{0,14}", re.ASCII)
"""A whole number as it is usually written, that a float holds exactly."""


def as_flags(cells: Array, where: Where) -> Array:
    """Return [n] int8: 1, 0, or -1 for a missing cell."""
    labels = Labels(PLAIN)
    codes = labels.codes(cells, where)
    flags = [flag_of(label) for label in labels.distinct()]
    for code, flag in enumerate(flags):
        if flag is None:
            label = labels.distinct()[code]
            raise InputError(labels.place(code), "a flag: 1 or 0, true or false", repr(label))
    return np.asarray([*flags, -1], dtype=np.int8)[codes]


def flag_of(label: Any) -> int | None:
    """Return 1 or 0 for a word or number that means it; None for any other."""
    word = str(label).casefold()
    if word in TRUE_TEXT:
        return 1
    return 0 if word in FALSE_TEXT else None


class Labels:
    """Numbers the distinct labels of a column, in the order in which they are met."""

    def __init__(self, notation: Notation, missing: Counter[str] | None = None) -> None:
        self._first: list[tuple[Where, int]] = []
        self._notation = notation
        self._missing: Counter[str] = Counter() if missing is None else missing
        self._numbers: dict[Any, int] = {}
        self._texts: dict[str, int] = {}

    def codes(self, cells: Array, where: Where) -> Int64:
        """Return [n] int64, the number of each cell's label; -1 for a missing cell."""
        if cells.dtype.kind in "fiub":
            return self._codes_of_numbers(cells, where)
        codes = np.empty(len(cells), dtype=np.int64)
        for row, cell in enumerate(cells.tolist()):
            code = self._texts.get(cell) if isinstance(cell, str) else None
            if code is None:
                code = self._code(_plain(cell, where, row), where, row)
                if isinstance(cell, str):
                    self._texts[cell] = code
            if code < 0:
                self._missing[cell.strip() if isinstance(cell, str) else ""] += 1
            codes[row] = code
        return codes

    def _codes_of_numbers(self, cells: Array, where: Where) -> Int64:
        distinct, first, places = np.unique(
            cells, return_index=True, return_inverse=True, equal_nan=True
        )
        known = np.empty(len(distinct), dtype=np.int64)
        for place in np.argsort(first):
            row = int(first[place])
            known[place] = self._code(_plain(distinct[place].item(), where, row), where, row)
        codes = known[places.reshape(-1)]
        if (codes < 0).any():
            self._missing[""] += int((codes < 0).sum())
        return codes

    def _code(self, label: Any, where: Where, row: int) -> int:
        if label is None or str(label).casefold() in self._notation.no_label:
            return -1
        # Databases may hold 1 and "1" in one column; "01" is another label.
        if isinstance(label, str) and WHOLE.fullmatch(label):
            label = int(label)
        if label not in self._numbers:
            self._numbers[label] = len(self._numbers)
            self._first.append((where, row))
        return self._numbers[label]

    def place(self, code: int) -> str:
        """Return words for the place where a label was met first."""
        where, row = self._first[code]
        return where(row)

    def distinct(self) -> list[Any]:
        """Return the labels as they were met: text or numbers."""
        return list(self._numbers)

    def values(self) -> list[Any]:
        """Return the labels, all whole numbers where their text allows it, else all text."""
        labels = self.distinct()
        try:
            numbers = [_whole(label, self._notation) for label in labels]
        except ValueError:
            return [str(label) for label in labels]
        # "1" and "01" are two labels: they may not become one number.
        return numbers if len(set(numbers)) == len(numbers) else [str(x) for x in labels]


def _plain(cell: Any, where: Where, row: int) -> Any:
    if isinstance(cell, str):
        return cell.strip()
    if is_null(cell):
        return None
    if isinstance(cell, bool | int):
        return int(cell)
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else cell
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace").strip()
    if isinstance(cell, list | dict | np.ndarray):
        raise InputError(where(row), "one label or number", f"a {type(cell).__name__}")
    return str(cell)


def _whole(label: Any, notation: Notation) -> int:
    if isinstance(label, int):
        return label
    number = label if isinstance(label, float) else notation.number(label)
    if not abs(number) < 2**53 or not float(number).is_integer():
        raise ValueError
    return int(number)
