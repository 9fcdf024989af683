"""JSON lines as chunks of columns: one object a line, in bounded memory.

A column of an object in the object is called by its own name, "age" of {"input": {"age": 60}}, and
"input.age" where another column is called so too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from ...arrays import Array
from ...errors import InputError
from .table import indexes_among
from .text_source import LONGEST_LINE, PROBLEMS, TextSource

CHUNK_CELLS = 40_000
HEAD_LINES = 1_000
"""Lines that tell the columns."""


class JsonLines:
    """A text with one JSON object a line; lines may lack columns, which then are missing.

    Attributes:
        names: the columns of the first lines, in the order in which they are met.
        notes: nothing.
        indexes: columns that only number the rows.
    """

    def __init__(self, source: TextSource) -> None:
        self._source = source
        with source.open() as stream:
            paths = dict.fromkeys(
                path for row in islice(self._rows(stream), HEAD_LINES) for path in _paths(row)
            )
        if not paths:
            raise InputError(source.called, "a text with one JSON object a line", "none")
        last = Counter(path[-1] for path in paths)
        self._paths = {path[-1] if last[path[-1]] == 1 else ".".join(path): path for path in paths}
        self.names = tuple(self._paths)
        self.indexes = indexes_among(self.names)
        self.notes: tuple[str, ...] = ()
        self._lines: list[int] = []

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        paths = {name: self._paths[name] for name in names}
        with self._source.open() as stream:
            rows = self._rows(stream)
            while chunk := list(islice(rows, 1 + CHUNK_CELLS // len(self.names))):
                yield {name: _column(chunk, path) for name, path in paths.items()}

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"object {row + 1}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)

    def _rows(self, stream: Any) -> Iterator[dict[str, Any]]:
        decode = msgspec.json.Decoder().decode
        number = 0
        while True:
            number += 1
            try:
                line = stream.readline(LONGEST_LINE)
                if not line:
                    return
                if line.isspace():
                    continue
                row = decode(line)
            except (msgspec.DecodeError, RecursionError, *PROBLEMS) as error:
                reason = str(error).splitlines()[0]
                raise self._wrong(f"{reason} in line {number}") from error
            if not isinstance(row, dict):
                raise self._wrong(f"a {type(row).__name__} in line {number}")
            yield row

    def _wrong(self, received: str) -> InputError:
        return InputError(self._source.called, "a text with one JSON object a line", received)


def _paths(row: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _paths(value, (*before, name))
        else:
            yield (*before, name)


def _column(rows: list[dict[str, Any]], path: tuple[str, ...]) -> Array:
    column = np.empty(len(rows), dtype=object)
    if len(path) == 1:
        column[:] = [row.get(path[0]) for row in rows]
    else:
        column[:] = [_value(row, path) for row in rows]
    return column


def _value(row: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row
