"""How the cells of a table are written: what stands for nothing, marks in numbers, dates."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...arguments import choice, shown
from ...errors import InputError

MISSING_TEXT = frozenset({"", "na", "n/a", "nan", "null", "nat", "<na>"})
"""What stands for nothing in any column, unless the caller says what does; in lower case."""
NO_NUMBER = "none"
"""Stands for nothing where numbers are expected; elsewhere it is a label as any other."""
THOUSANDS = ",. '_\u00a0\u202f"
"""Marks that separate groups of three digits somewhere in the world."""
SHOWN = 8
"""Columns that a note mentions before it counts the rest."""


@dataclass(frozen=True)
class Notation:
    """How cells are written.

    Attributes:
        missing_values: texts that stand for nothing, case aside; a blank cell always does.
            None takes those of `MISSING_TEXT`.
        decimal: the mark before the fraction of a number.
        thousands: the mark between groups of three digits, if there is one.
        time_format: how times are written, as `datetime.strptime` reads it; None: ISO 8601.
    """

    missing_values: tuple[str, ...] | None = None
    decimal: str = "."
    thousands: str | None = None
    time_format: str | None = None

    @cached_property
    def no_label(self) -> frozenset[str]:
        """Return the texts, in lower case, that stand for nothing among labels."""
        if self.missing_values is None:
            return MISSING_TEXT
        return frozenset({"", *(text.strip().casefold() for text in self.missing_values)})

    @cached_property
    def no_number(self) -> frozenset[str]:
        """Return the texts, in lower case, that stand for nothing among numbers."""
        return self.no_label | {NO_NUMBER} if self.missing_values is None else self.no_label

    @cached_property
    def missing_numbers(self) -> tuple[float, ...]:
        """Return the numbers that stand for nothing, as -999 may."""
        found = []
        for text in self.missing_values or ():
            try:
                found.append(self.number(text.strip()))
            except ValueError:
                continue
        return tuple(number for number in found if not math.isnan(number))

    @property
    def plain(self) -> bool:
        """Whether numbers are written as Python reads them."""
        return self.decimal == "." and self.thousands is None

    def number(self, text: str) -> float:
        """Return the number that is written; raise ValueError where none is."""
        if self.plain:
            # Python also reads 1_000 and the digits of other scripts, which logs do not mean.
            if "_" in text or not text.isascii():
                raise ValueError(text)
            return float(text)
        if not self._written.fullmatch(text):
            raise ValueError(text)
        digits = text.replace(self.thousands, "") if self.thousands else text
        return float(digits.replace(self.decimal, "."))

    @cached_property
    def _written(self) -> re.Pattern[str]:
        groups = rf"\d{{1,3}}(?:{re.escape(self.thousands)}\d{{3}})+|" if self.thousands else ""
        mark = re.escape(self.decimal)
        body = rf"(?:{groups}\d+)(?:{mark}\d*)?|{mark}\d+"
        return re.compile(rf"[+-]?(?:{body})(?:[eE][+-]?\d+)?", re.ASCII)


PLAIN = Notation()


def check_notation(decimal: object, thousands: object, time_format: object) -> None:
    """Raise an error unless marks and formats can be used."""
    choice("decimal", decimal, (".", ","))
    mark = isinstance(thousands, str) and len(thousands) == 1 and thousands in THOUSANDS
    if thousands is not None and not mark:
        raise InputError("thousands", f"one of {THOUSANDS!r}, or None", shown(thousands))
    if thousands == decimal:
        raise InputError("thousands", "another mark than decimal", repr(thousands))
    if time_format is not None and not (isinstance(time_format, str) and "%" in time_format):
        raise InputError("time_format", "a format such as '%d.%m.%Y'", shown(time_format))


def is_null(cell: Any) -> bool:
    """Whether a cell that is no text holds nothing: None, NaN, or the like of pandas."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


class MissingCells:
    """Counts the cells that were taken as missing, by column and by what stood there."""

    def __init__(self) -> None:
        self._found: dict[str, Counter[str]] = {}

    def of(self, column: str) -> Counter[str]:
        """Return the counts of a column, by text; a blank is ''."""
        return self._found.setdefault(column, Counter())

    def told(self, column: str) -> str:
        """Return the counts of a column in words: 12 blank, 4 'NA'."""
        parts = [
            f"{count:,} {'blank' if text == '' else repr(text)}"
            for text, count in self.of(column).most_common()
        ]
        return ", ".join(parts[:SHOWN])

    def notes(self) -> tuple[str, ...]:
        """Return what was taken as missing; nothing where nothing was."""
        parts = [f"{name} ({self.told(name)})" for name, found in self._found.items() if +found]
        if not parts:
            return ()
        more = f" and {len(parts) - SHOWN} more columns" if len(parts) > SHOWN else ""
        return (f"taken as missing: {', '.join(parts[:SHOWN])}{more}",)
