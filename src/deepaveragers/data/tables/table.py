"""What every table can do, wherever it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ...arrays import Array

UNNAMED_INDEX = "index"
"""What an unnamed first column is called."""
INDEX_NAMES = ("Unnamed: 0", "__index_level_0__")
"""What pandas calls an index without a name when it is read back, or stored as Parquet."""


class Table(Protocol):
    """Named columns that are handed over some rows at a time.

    Attributes:
        names: the columns, in order.
        notes: what was decided while opening.
        indexes: columns that only number the rows; never observations unless they are named.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...]
    indexes: frozenset[str]

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""

    def place(self, row: int) -> str:
        """Return words for the place of a data row that was handed over."""

    def starts(self) -> tuple[int, ...]:
        """Return the first row of each file that was handed over."""


def indexes_among(names: Sequence[str]) -> frozenset[str]:
    """Return the columns that only number the rows, by their names."""
    return frozenset(names[:1]).intersection(INDEX_NAMES) | frozenset(names[-1:]).intersection(
        INDEX_NAMES[1:]
    )


def index_notes(indexes: frozenset[str], *, unnamed: bool = False) -> tuple[str, ...]:
    """Return what is said of an index column."""
    if unnamed:
        return ("the first column has no name: it is taken for an index, and not used",)
    return tuple(f"column {name!r} is taken for an index, and not used" for name in indexes)
