"""Several tables with the same columns, read one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...arrays import Array
from ...errors import InputError
from .table import Table


class SeveralTables:
    """Files of one log, in the order in which they are given.

    Attributes:
        names: the columns of the first; the others have the same, in any order.
        notes: what was decided while opening.
        indexes: columns that only number the rows of any of them.
    """

    def __init__(self, tables: Sequence[tuple[str, Table]]) -> None:
        """Open tables, each with its name for messages."""
        self._tables = tables
        first, table = tables[0]
        self.names = table.names
        for name, other in tables[1:]:
            differing = sorted(set(self.names) ^ set(other.names))
            if differing:
                raise InputError(
                    name, f"a table with the columns of {first}", f"a difference: {differing[0]!r}"
                )
        said = dict.fromkeys(note for _, table in tables for note in table.notes)
        self.notes = (f"{len(tables)} tables were read, from {first} to {tables[-1][0]}", *said)
        self.indexes = frozenset[str]().union(*(table.indexes for _, table in tables))
        self._starts: list[int] = []

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        self._starts, row = [], 0
        for _, table in self._tables:
            self._starts.append(row)
            for chunk in table.chunks(names):
                yield chunk
                row += len(next(iter(chunk.values())))

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        number = max(place for place, start in enumerate(self._starts) if start <= row)
        name, table = self._tables[number]
        return f"{table.place(row - self._starts[number])} of {name}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row of each file that was handed over."""
        return tuple(self._starts)
