"""CSV files as chunks of columns: with the standard library alone, in bounded memory.

Other libraries read CSV faster, but do not say in which line a cell is wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any, TextIO

import numpy as np

from ...arrays import Array
from ...errors import InputError
from .table import UNNAMED_INDEX, index_notes, indexes_among
from .text_source import LONGEST_LINE, PROBLEMS, TextSource

CHUNK_CELLS = 40_000
DELIMITERS = ",;\t|"


class CsvFile:
    """A text table with a header line; `.gz` files are unpacked while reading.

    Attributes:
        names: the columns, in order.
        delimiter: the character between cells.
        notes: what was decided while opening.
        indexes: an unnamed first column, or one that pandas named.
    """

    def __init__(
        self, source: TextSource, delimiter: str | None = None, encoding: str = "utf-8"
    ) -> None:
        """Open a text; the encoding is for messages."""
        self._source, self._encoding = source, encoding
        with source.open() as stream:
            head = self._head(stream)
        self.delimiter = delimiter or _likely_delimiter(head)
        self.names, self.indexes, notes = _header(head, self.delimiter, self._source.called)
        # From which data row on the line number is how much larger than the row number.
        self._offsets = [(0, 2)]
        self.notes = notes
        if self.delimiter != ",":
            self.notes = (f"cells are separated by {self.delimiter!r}", *notes)

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        every = {name: place for place, name in enumerate(self.names)}
        places = {name: every[name] for name in names}
        most = 1 + CHUNK_CELLS // len(self.names)
        with self._source.open() as stream:
            lines = self._lines(stream)
            reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
            self._offsets = [(0, 2)]
            self._some_rows(reader, 1, None)
            start = 0
            while chunk := self._some_rows(reader, most, start):
                yield {name: _column(chunk, place) for name, place in places.items()}
                start += len(chunk)

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        offset = next(offset for first, offset in reversed(self._offsets) if first <= row)
        return f"line {row + offset}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)

    def _some_rows(self, reader: Any, most: int, start: int | None) -> list[list[str]]:
        """Return the next rows; `start` is the number of the first one, None for the header."""
        rows, lines = list[list[str]](), list[int]()
        try:
            for row in islice(filter(None, reader), most):
                rows.append(row)
                lines.append(reader.line_num)
        except PROBLEMS as error:
            raise self._unreadable(error, f" near line {reader.line_num + 1}") from error
        width = len(self.names)
        for row, line in zip(rows, lines):
            if len(row) != width:
                raise InputError(
                    self._source.called,
                    f"a table of {width} columns in every line",
                    f"{len(row)} cell(s) in line {line}",
                )
        if start is not None:
            for number, line in enumerate(lines, start):
                if line - number != self._offsets[-1][1]:
                    self._offsets.append((number, line - number))
        return rows

    def _lines(self, stream: TextIO) -> Iterator[str]:
        """Yield the lines as csv wants them, none of them without end."""
        for number in count(1):
            line = stream.readline(LONGEST_LINE)
            if not line:
                return
            if len(line) == LONGEST_LINE:
                raise csv.Error(f"line {number} has more than {LONGEST_LINE:,} characters")
            yield line

    def _head(self, stream: TextIO) -> str:
        """Return the header, which may go over several lines if a name does."""
        try:
            lines = self._lines(stream)
            first = next(filter(str.strip, lines), "")
            while first.count('"') % 2 and len(first) < LONGEST_LINE:
                first += next(lines)
        except StopIteration:
            return first
        except PROBLEMS as error:
            raise self._unreadable(error, "") from error
        return first

    def _unreadable(self, error: Exception, near: str) -> InputError:
        remedy = ""
        if isinstance(error, UnicodeDecodeError):
            remedy = "Name its encoding: encoding='cp1252', say (--encoding cp1252)."
        named = self._encoding.upper()
        return InputError(
            self._source.called, f"a {named} text table", f"{_reason(error)}{near}", remedy
        )


def _column(chunk: list[list[str]], place: int) -> Array:
    column = np.empty(len(chunk), dtype=object)
    column[:] = [row[place] for row in chunk]
    return column


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        wrong = error.object[error.start : error.start + 1]
        return f"the byte 0x{wrong.hex()}, which is not {error.encoding.upper()}"
    return str(error)


def _likely_delimiter(head: str) -> str:
    return max(DELIMITERS, key=lambda mark: (head.count(mark), -DELIMITERS.index(mark)))


def _header(
    head: str, delimiter: str, path: str
) -> tuple[tuple[str, ...], frozenset[str], tuple[str, ...]]:
    """Return the names, those of indexes, and notes."""
    try:
        cells = next(csv.reader(head.splitlines(keepends=True), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(str(path), "a table with a header line", str(error)) from error
    return named_columns(cells, path, head[:80])


def named_columns(
    cells: Sequence[str], path: str, head: str
) -> tuple[tuple[str, ...], frozenset[str], tuple[str, ...]]:
    """Return the names in a header, those of indexes, and notes.

    Args:
        cells: of the header.
        path: for messages.
        head: the header as it stands there, for messages.
    """
    names = [cell.strip() for cell in cells]
    unnamed = len(names) > 1 and names[0] == "" and UNNAMED_INDEX not in names
    if unnamed:
        names[0] = UNNAMED_INDEX
    if not names or "" in names:
        raise InputError(path, "a table whose first line names every column", repr(head))
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(path, "a table with distinct column names", f"{twice!r} twice")
    indexes = frozenset({UNNAMED_INDEX}) if unnamed else indexes_among(names)
    return tuple(names), indexes, index_notes(indexes, unnamed=unnamed)
