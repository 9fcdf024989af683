"""CSV files as chunks of columns: with the standard library alone, in bounded memory."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ...arrays import Array
from ...errors import InputError, StorageError

CHUNK_CELLS = 40_000
DELIMITERS = ",;\t|"


class CsvFile:
    """A text table with a header line; `.gz` files are unpacked while reading.

    Attributes:
        names: the columns, in order.
        delimiter: the character between cells.
        notes: what was decided while opening.
    """

    def __init__(self, path: Path, delimiter: str | None = None) -> None:
        self._path = path
        with self._open() as stream:
            head = self._guarded(stream)
            self.delimiter = delimiter or _likely_delimiter(head)
            self.names = _header(head, self.delimiter, path)
        # From which data row on the line number is how much larger than the row number.
        self._offsets = [(0, 2)]
        self.notes: tuple[str, ...] = ()
        if self.delimiter != ",":
            self.notes = (f"cells are separated by {self.delimiter!r}",)

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        places = {name: self.names.index(name) for name in names}
        with self._open() as stream:
            rows = self._rows(csv.reader(stream, delimiter=self.delimiter, strict=True))
            next(rows)
            while chunk := list(islice(rows, 1 + CHUNK_CELLS // len(self.names))):
                yield {name: _column(chunk, place) for name, place in places.items()}

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        offset = next(offset for first, offset in reversed(self._offsets) if first <= row)
        return f"line {row + offset}"

    def _rows(self, reader: Any) -> Iterator[list[str]]:
        width = len(self.names)
        self._offsets = [(0, 2)]
        filled = filter(None, reader)
        for number in count(-1):
            try:
                row = next(filled)
            except StopIteration:
                return
            except (csv.Error, UnicodeDecodeError, EOFError, OSError) as error:
                raise InputError(
                    str(self._path),
                    "a UTF-8 text table",
                    f"{_reason(error)} near line {reader.line_num + 1}",
                ) from error
            if len(row) != width:
                raise InputError(
                    str(self._path),
                    f"a table of {width} columns in every line",
                    f"{len(row)} cell(s) in line {reader.line_num}",
                )
            if number >= 0 and reader.line_num - number != self._offsets[-1][1]:
                self._offsets.append((number, reader.line_num - number))
            yield row

    def _guarded(self, stream: TextIO) -> str:
        try:
            return stream.readline(csv.field_size_limit())
        except (UnicodeDecodeError, EOFError, OSError) as error:
            raise InputError(str(self._path), "a UTF-8 text table", _reason(error)) from error

    def _open(self) -> TextIO:
        try:
            if self._path.suffix == ".gz":
                return gzip.open(self._path, "rt", encoding="utf-8-sig", newline="")
            return open(self._path, encoding="utf-8-sig", newline="")
        except OSError as error:
            raise StorageError(f"{self._path} cannot be read: {error.strerror}.") from error


def _column(chunk: list[list[str]], place: int) -> Array:
    column = np.empty(len(chunk), dtype=object)
    column[:] = [row[place] for row in chunk]
    return column


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"the byte 0x{error.object[error.start]:02x}, which is not UTF-8"
    return str(error)


def _likely_delimiter(head: str) -> str:
    return max(DELIMITERS, key=lambda mark: (head.count(mark), -DELIMITERS.index(mark)))


def _header(head: str, delimiter: str, path: Path) -> tuple[str, ...]:
    try:
        names = tuple(name.strip() for name in next(csv.reader([head], delimiter=delimiter), []))
    except csv.Error as error:
        raise InputError(str(path), "a table with a header line", str(error)) from error
    if not names or "" in names:
        raise InputError(str(path), "a table whose first line names every column", repr(head[:80]))
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(str(path), "a table with distinct column names", f"{twice!r} twice")
    return names
