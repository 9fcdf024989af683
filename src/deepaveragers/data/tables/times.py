"""Cells of a table as times: numbers or dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ..scratch import Growing
from .notation import PLAIN, Notation, is_null
from .numbers import Where, as_numbers

MISSING_TIME = np.iinfo(np.int64).min
"""Of dates, as microseconds; NumPy's NaT has the same bits."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LIKELY_DAYS = ("%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y")
LIKELY_CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S")


def as_times(
    cells: Array,
    where: Where,
    notation: Notation = PLAIN,
    missing: Counter[str] | None = None,
) -> tuple[Array, bool | None]:
    """Return [n] numbers (NaN: missing), or int64 microseconds; and whether they are dates.

    None for the latter where every cell is missing.
    """
    counts: Counter[str] = Counter() if missing is None else missing
    kind = cells.dtype.kind
    if kind == "M":
        moments = np.asarray(cells.astype("datetime64[us]").view(np.int64))
        counts[""] += int((moments == MISSING_TIME).sum())
        return moments, True
    if kind == "m":
        lasting = cells.astype("timedelta64[us]")
        return np.where(np.isnat(lasting), np.nan, lasting.astype(np.float64) / 1e6), False
    if kind in "iu":
        return cells.astype(np.int64), False
    if kind == "f":
        counts[""] += int(np.isnan(cells).sum())
        return cells.astype(np.float64), False
    if notation.time_format is None:
        # Whole numbers as such: nanoseconds since 1970 do not fit into a float.
        try:
            return np.fromiter(map(int, cells), dtype=np.int64, count=len(cells)), False
        except (ValueError, TypeError, OverflowError):
            pass
    return _mixed(cells, where, notation, counts)


def _mixed(
    cells: Array, where: Where, notation: Notation, counts: Counter[str]
) -> tuple[Array, bool | None]:
    first = next((cell for cell in cells if not _is_missing(cell, notation)), None)
    if first is None:
        return as_numbers(cells, where, notation, counts), None
    if notation.time_format is None and _is_number(first, notation):
        return as_numbers(cells, where, notation, counts), False
    moments = np.empty(len(cells), dtype=np.int64)
    known: dict[str, int] = {}
    for row, cell in enumerate(cells.tolist()):
        if _is_missing(cell, notation):
            counts[cell.strip() if isinstance(cell, str) else ""] += 1
            moments[row] = MISSING_TIME
        elif isinstance(cell, str):
            if cell not in known:
                known[cell] = _moment(cell, notation, where, row)
            moments[row] = known[cell]
        else:
            moments[row] = _moment(cell, notation, where, row)
    return moments, True


def _is_missing(cell: Any, notation: Notation) -> bool:
    if isinstance(cell, str):
        return cell.strip().casefold() in notation.no_number
    return is_null(cell)


def _is_number(cell: Any, notation: Notation) -> bool:
    if isinstance(cell, datetime | date):
        return False
    try:
        notation.number(cell.strip()) if isinstance(cell, str) else float(cell)
    except (ValueError, TypeError):
        return False
    return True


def _moment(cell: Any, notation: Notation, where: Where, row: int) -> int:
    """Return microseconds since 1970; a time without a zone is taken for UTC."""
    try:
        moment = _parsed(cell, notation.time_format)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        since = moment - EPOCH
    except (ValueError, OverflowError):
        wanted = "a number or an ISO date such as 2026-01-31T08:15:00"
        if notation.time_format is not None:
            wanted = f"a time written as {notation.time_format!r}"
        advice = advice_on(likely_formats([str(cell)]))
        raise InputError(where(row), wanted, repr(cell)[:60], advice) from None
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _parsed(cell: Any, time_format: str | None) -> datetime:
    if isinstance(cell, datetime):
        return cell
    text = str(cell).strip()
    if time_format is None or isinstance(cell, date):
        return datetime.fromisoformat(text)
    return datetime.strptime(text, time_format)


def likely_formats(texts: Sequence[str]) -> list[str]:
    """Return the usual ways of writing dates, ISO apart, in which all texts can be read.

    25/03/2026 is a day before a month; 03/05/2026 alone could be either.
    """
    formats = [day + clock for day in LIKELY_DAYS for clock in LIKELY_CLOCKS]
    return [one for one in formats if texts and all(_is_written(text, one) for text in texts)]


def advice_on(formats: Sequence[str]) -> str:
    """Return what to say about dates in one of these formats; nothing where there is none."""
    if not formats:
        return ""
    written = "' or '".join(formats)
    return f"Say how it is written: time_format='{written}' (--time-format)."


def _is_written(text: str, time_format: str) -> bool:
    try:
        datetime.strptime(text.strip(), time_format)
    except ValueError:
        return False
    return True


class TimeColumn:
    """The times of all rows, gathered some rows at a time."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._parts = Growing()
        self._dates: bool | None = None
        self._unknown = 0

    def append(self, cells: Array, where: Where, missing: Counter[str]) -> None:
        """Add rows at the end."""
        times, dates = as_times(cells, where, self._notation, missing)
        if dates is None and self._dates is None:
            self._unknown += len(times)
            return
        if self._dates is None:
            self._dates = dates
            if self._unknown:
                self._parts.append(self._missing(self._unknown))
        if dates is None:
            times = self._missing(len(times))
        elif dates != self._dates:
            raise InputError(where(0), "all numbers or all dates", "a mix of both")
        self._parts.append(times)

    def _missing(self, count: int) -> Array:
        return np.full(count, MISSING_TIME) if self._dates else np.full(count, np.nan)

    def whole(self) -> Array:
        """Return [R] int64 or float64 numbers, or datetime64[us]; NaN or NaT where missing."""
        if self._dates is None:
            return np.full(self._unknown, np.nan)
        times = self._parts.whole()
        return times.view("datetime64[us]") if self._dates else times
