"""What is in a table, before anyone has said what its columns mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from ...arrays import Array
from .cells import flag_of
from .notation import PLAIN, Notation, is_null
from .numbers import is_number
from .table import Table
from .times import likely_formats

MOST_ROWS = 10_000
"""Rows that are looked at."""
EXAMPLES = 3
DECIMAL_COMMA = Notation(decimal=",", thousands=".")
TOTALS = re.compile(r"(grand |sub-?)?(total|sum)s?\b", re.IGNORECASE)
"""How the name of a row of totals begins."""


@dataclass(frozen=True)
class ColumnSummary:
    """What was seen in a column.

    Attributes:
        name: of the column.
        kind: "flag", "whole number", "number", "date", "text", "list" or "empty".
        missing: how many cells were blank or stand for nothing.
        distinct: how many different values there are among the others.
        examples: some of them.
        index: whether it only numbers the rows.
        decimal_comma: whether its numbers have one.
        date_formats: how its dates may be written, if they are not ISO.
        closes: columns whose value is another one in the row after each of its filled cells, if
            most of its cells are blank: it stands at the ends of what they name.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    examples: tuple[str, ...]
    index: bool = False
    decimal_comma: bool = False
    date_formats: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """What was seen in the first rows of a table.

    Attributes:
        columns: a summary of each.
        rows: how many rows were looked at.
        whole: whether those are all.
        notes: what was decided while opening.
        totals: texts of the last row by column, if it holds totals; the summaries leave it out.
    """

    columns: tuple[ColumnSummary, ...]
    rows: int
    whole: bool
    notes: tuple[str, ...]
    totals: dict[str, str] | None = None


def survey(table: Table) -> Survey:
    """Return what is in the first rows of a table."""
    cells: dict[str, list[Any]] = {name: [] for name in table.names}
    whole = True
    for chunk in table.chunks(table.names):
        for name, values in chunk.items():
            cells[name].extend(_values(values[:MOST_ROWS]))
        if len(cells[table.names[0]]) >= MOST_ROWS:
            whole = False
            break
    rows = min(MOST_ROWS, len(cells[table.names[0]]))
    cells = {name: values[:rows] for name, values in cells.items()}
    totals = _totals(cells) if whole else None
    notes = table.notes
    if totals is not None:
        cells = {name: values[:-1] for name, values in cells.items()}
        notes = (*notes, "the last row seems to hold totals: `--missing drop` leaves it out")
    closed = _closed(cells)
    columns = tuple(
        replace(_summary(name, values, name in table.indexes), closes=closed[name])
        for name, values in cells.items()
    )
    return Survey(columns, rows, whole, notes, totals)


def _totals(cells: dict[str, list[Any]]) -> dict[str, str] | None:
    """Return the texts of the last row if it is blank where no other row is.

    It is called a total, or blank so in more than half of the columns.
    """
    last = {name: values[-1] for name, values in cells.items() if values}
    blank_here = [
        name
        for name, value in last.items()
        if _is_blank(value) and not any(_is_blank(one) for one in cells[name][:-1])
    ]
    texts = {
        name: value.strip()
        for name, value in last.items()
        if isinstance(value, str) and not _is_blank(value) and not _is_any_number(value)
    }
    called = any(TOTALS.match(text) for text in texts.values())
    return texts if blank_here and (called or len(blank_here) > len(cells) / 2) else None


def _is_any_number(text: str) -> bool:
    return is_number(text, PLAIN) or is_number(text, DECIMAL_COMMA)


def _closed(cells: dict[str, list[Any]]) -> dict[str, tuple[str, ...]]:
    """Return what each column closes; see `ColumnSummary`."""
    changed = {
        name: np.array([str(one) != str(following) for one, following in pairwise(values)])
        for name, values in cells.items()
    }
    found = {}
    for name, values in cells.items():
        filled = np.array([not _is_blank(value) for value in values])
        sparse = 0 < filled.sum() <= len(filled) / 2
        found[name] = tuple(
            other
            for other, changes in changed.items()
            if sparse
            and other != name
            and changes[filled[:-1]].all()
            and filled.sum() > changes.sum() / 2
        )
    return found


def _values(cells: Array) -> list[Any]:
    if cells.dtype.kind == "M":
        texts = np.datetime_as_string(cells.astype("datetime64[s]"))
        return [None if text == "NaT" else datetime.fromisoformat(text) for text in texts.tolist()]
    values: list[Any] = cells.tolist()
    return values


def _summary(name: str, values: Sequence[Any], index: bool) -> ColumnSummary:
    filled = [value for value in values if not _is_blank(value)]
    texts = [value.strip() if isinstance(value, str) else str(value) for value in filled]
    distinct = list(dict.fromkeys(texts))
    comma = False
    formats: list[str] = []
    if not filled:
        kind = "empty"
    elif isinstance(filled[0], list | tuple | dict | np.ndarray):
        kind = "list"
    elif all(flag_of(text) is not None for text in distinct):
        kind = "flag"
    elif all(isinstance(value, date) or _is_iso(value) for value in filled[:100]):
        kind = "date"
    elif all(is_number(text, PLAIN) for text in distinct):
        whole = all(_is_whole(text) for text in distinct)
        kind = "whole number" if whole else "number"
    elif all(is_number(text, DECIMAL_COMMA) for text in distinct):
        kind, comma = "number", True
    elif formats := likely_formats(distinct):
        kind = "date"
    else:
        kind = "text"
    shown = tuple(text[:24] for text in distinct[:EXAMPLES])
    missing = len(values) - len(filled)
    return ColumnSummary(name, kind, missing, len(distinct), shown, index, comma, tuple(formats))


def _is_blank(value: Any) -> bool:
    return value.strip().casefold() in PLAIN.no_label if isinstance(value, str) else is_null(value)


def _is_iso(value: Any) -> bool:
    if not isinstance(value, str) or is_number(value, PLAIN):
        return False
    try:
        datetime.fromisoformat(value.strip())
    except ValueError:
        return False
    return True


def _is_whole(text: str) -> bool:
    try:
        return float(text).is_integer()
    except ValueError:
        return False
