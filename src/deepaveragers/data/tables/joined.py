"""A table with columns of another one beside it: what was decided, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...data.column_names import listed
from ...errors import InputError
from .notation import is_null
from .table import Table


class JoinedTable:
    """The rows of a table that the other one has too, with the columns of both.

    Rows belong together if they are equal, as text, in all columns that both tables have. The
    other table is held in memory.

    Attributes:
        names: the columns of both.
        notes: by which columns they were joined, and what was left out.
        indexes: columns that only number the rows of either.
    """

    def __init__(self, table: Table, other: Table, called: str) -> None:
        self._table = table
        ignored = table.indexes | other.indexes
        self._keys = [one for one in table.names if one in other.names and one not in ignored]
        if not self._keys:
            raise InputError(
                "join",
                f"a table with a column of the first one, {listed(table.names)}",
                f"{called} with {listed(other.names)}",
            )
        self._added = [one for one in other.names if one not in table.names]
        self.names = (*table.names, *self._added)
        self.indexes = table.indexes | other.indexes
        self.notes = (*table.notes, f"joined with {called} by {listed(self._keys)}")
        self._rows = self._read(other, called)
        self._places: list[int] = []

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns of rows that have their like, some rows at a time."""
        own = [name for name in self._table.names if name in names or name in self._keys]
        self._places, row = [], 0
        for chunk in self._table.chunks(own):
            keys = _keys_of(chunk, self._keys)
            there = [place for place, key in enumerate(keys) if key in self._rows]
            if there:
                self._places += [row + place for place in there]
                yield self._both(chunk, [keys[place] for place in there], there, names)
            row += len(keys)

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return self._table.place(self._places[row])

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)

    def _both(
        self, chunk: dict[str, Array], keys: list[Any], there: list[int], names: Sequence[str]
    ) -> dict[str, Array]:
        found = {name: chunk[name][there] for name in names if name in chunk}
        for place, name in enumerate(self._added):
            if name in names:
                column = np.empty(len(keys), dtype=object)
                column[:] = [self._rows[key][place] for key in keys]
                found[name] = column
        return found

    def _read(self, other: Table, called: str) -> dict[Any, tuple[Any, ...]]:
        rows: dict[Any, tuple[Any, ...]] = {}
        for chunk in other.chunks([*self._keys, *self._added]):
            columns = [chunk[name].tolist() for name in self._added]
            values = zip(*columns, strict=True) if columns else iter(())
            for key in _keys_of(chunk, self._keys):
                if key in rows:
                    raise InputError(
                        "join", f"a table with one row for each {listed(self._keys)}",
                        f"{called} with {key} twice",
                    )  # fmt: skip
                rows[key] = next(values, ())
        return rows


def _keys_of(chunk: dict[str, Array], names: Sequence[str]) -> list[tuple[str, ...]]:
    columns = [[_text(cell) for cell in chunk[name].tolist()] for name in names]
    return list(zip(*columns, strict=True))


def _text(cell: Any) -> str:
    """Return a cell as text, a whole number without its fraction."""
    if is_null(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell.strip() if isinstance(cell, str) else str(cell)
