"""Cells of a table as numbers, flags, times and labels, with the place of what is wrong.

Every function takes one chunk of a column as it came (numbers, text, dates, or a mix in an
object array) and returns a plain array in which a missing cell is NaN, -1 or NaT-like.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ...arrays import Array, Int64
from ...errors import InputError

MISSING_TEXT = frozenset({"", "na", "n/a", "nan", "null", "none", "nat", "<na>"})
TRUE_TEXT = frozenset({"true", "t", "yes", "y", "1", "1.0"})
FALSE_TEXT = frozenset({"false", "f", "no", "n", "0", "0.0"})
MISSING_TIME = np.iinfo(np.int64).min

Where = Callable[[int], str]
"""From a row of the chunk to words that name its place in the source."""


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, an empty text or a word for missing."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING_TEXT
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


def as_numbers(cells: Array, where: Where) -> Array:
    """Return [n] or [n, d] float numbers; a missing cell is NaN."""
    if cells.dtype.kind == "f":
        return cells if cells.dtype in (np.float32, np.float64) else cells.astype(np.float32)
    if cells.dtype.kind in "iub":
        return cells.astype(np.float64)
    if cells.dtype.kind not in "OU":
        raise InputError(where(0), "a number", f"a value of type {cells.dtype}")
    if len(cells) and isinstance(cells[0], list | tuple | np.ndarray):
        return _stacked(cells, where)
    try:
        return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except (ValueError, TypeError):
        return np.array([_number(cell, where, row) for row, cell in enumerate(cells)])


def _stacked(cells: Array, where: Where) -> Array:
    width = np.shape(cells[0])
    for row, cell in enumerate(cells):
        if np.shape(cell) != width:
            raise InputError(
                where(row), f"a list of shape {width} as in the first row", f"{np.shape(cell)}"
            )
    stacked = np.array([np.asarray(cell) for cell in cells]).reshape(len(cells), -1)
    return as_numbers(stacked, where)


def _number(cell: Any, where: Where, row: int) -> float:
    if is_missing(cell):
        return math.nan
    if isinstance(cell, str) and cell.strip().lower() in ("true", "false"):
        return float(cell.strip().lower() == "true")
    try:
        return float(cell)
    except (ValueError, TypeError, OverflowError):
        raise InputError(
            where(row), "a number", repr(cell), "Turn text into numbers before the import."
        ) from None


def as_flags(cells: Array, where: Where) -> Array:
    """Return [n] int8: 1, 0, or -1 for a missing cell."""
    if cells.dtype.kind == "b":
        return cells.astype(np.int8)
    if cells.dtype.kind in "iuf":
        missing = np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), dtype=bool)
        wrong = ~missing & (cells != 0) & (cells != 1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(where(row), "a flag: 1 or 0, true or false", cells[row])
        return np.where(missing, -1, cells == 1).astype(np.int8)
    known: dict[str, int] = {}
    flags = np.empty(len(cells), dtype=np.int8)
    for row, cell in enumerate(cells.tolist()):
        word = cell if isinstance(cell, str) else str(cell)
        if word not in known:
            known[word] = _flag(cell, where, row)
        flags[row] = known[word]
    return flags


def _flag(cell: Any, where: Where, row: int) -> int:
    if is_missing(cell):
        return -1
    word = str(cell).strip().lower()
    if word in TRUE_TEXT:
        return 1
    if word in FALSE_TEXT:
        return 0
    raise InputError(where(row), "a flag: 1 or 0, true or false", repr(cell))


def as_times(cells: Array, where: Where) -> tuple[Array, bool]:
    """Return [n] numbers (NaN: missing), or microseconds of dates, and whether they are dates."""
    if cells.dtype.kind in "Mm":
        unit = "datetime64[us]" if cells.dtype.kind == "M" else "timedelta64[us]"
        return np.asarray(cells.astype(unit).view(np.int64)), True
    if cells.dtype.kind in "iu":
        return cells.astype(np.int64), False
    if cells.dtype.kind == "f":
        return cells.astype(np.float64), False
    # Whole numbers first: nanoseconds since 1970 do not fit into a float.
    for number, dtype in ((int, np.int64), (float, np.float64)):
        try:
            return np.fromiter(map(number, cells), dtype=dtype, count=len(cells)), False
        except (ValueError, TypeError, OverflowError):
            continue
    return _dates(cells, where)


def _dates(cells: Array, where: Where) -> tuple[Array, bool]:
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if first is None or _is_number(first):
        return np.array([_number(cell, where, row) for row, cell in enumerate(cells)]), False
    dates = [_date(cell, where, row) for row, cell in enumerate(cells)]
    return np.array(dates, dtype=np.int64), True


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (ValueError, TypeError):
        return False
    return True


def _date(cell: Any, where: Where, row: int) -> int:
    if is_missing(cell):
        return int(MISSING_TIME)
    try:
        moment = cell if isinstance(cell, datetime) else datetime.fromisoformat(str(cell).strip())
    except ValueError:
        raise InputError(
            where(row), "a number or an ISO date such as 2026-01-31T08:15:00", repr(cell)
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


class Labels:
    """Numbers the distinct labels of a column, in the order in which they are met."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._texts: dict[str, int] = {}

    def codes(self, cells: Array, where: Where) -> Int64:
        """Return [n] int64, the number of each cell's label; -1 for a missing cell."""
        if cells.dtype.kind in "iub":
            distinct, first, places = np.unique(cells, return_index=True, return_inverse=True)
            known = np.empty(len(distinct), dtype=np.int64)
            for place in np.argsort(first):
                known[place] = self._code(int(distinct[place]))
            return known[places]
        codes = np.empty(len(cells), dtype=np.int64)
        for row, cell in enumerate(cells.tolist()):
            code = self._texts.get(cell) if isinstance(cell, str) else None
            if code is None:
                label = _plain(cell, where, row)
                code = -1 if label is None else self._code(label)
                if isinstance(cell, str):
                    self._texts[cell] = code
            codes[row] = code
        return codes

    def _code(self, label: Any) -> int:
        return self._numbers.setdefault(label, len(self._numbers))

    def values(self) -> list[Any]:
        """Return the labels, all whole numbers where their text allows it, else all text."""
        labels = list(self._numbers)
        try:
            numbers = [_whole(label) for label in labels]
        except ValueError:
            return [str(label) for label in labels]
        # "1" and "01" are two labels: they may not become one number.
        return numbers if len(set(numbers)) == len(numbers) else [str(x) for x in labels]


def _plain(cell: Any, where: Where, row: int) -> Any:
    if is_missing(cell):
        return None
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool | int):
        return int(cell)
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else cell
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace").strip()
    if isinstance(cell, list | dict):
        raise InputError(where(row), "one label or number", f"a {type(cell).__name__}")
    return str(cell)


def _whole(label: Any) -> int:
    if isinstance(label, int):
        return label
    number = float(label)
    if not number.is_integer() or abs(number) >= 2**53:
        raise ValueError
    return int(number)
