"""Tables in memory: pandas and polars DataFrames, Arrow tables, dictionaries of columns.

Known by what they can do, so none of these libraries is imported here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError
from .table import index_notes, indexes_among


class Frame:
    """A table in memory, handed over column by column.

    Attributes:
        names: the columns, in order; those of a named index of pandas first.
        notes: what was taken for an index.
        indexes: columns that pandas named for want of a name.
    """

    def __init__(self, table: Any) -> None:
        if hasattr(table, "collect") and hasattr(table, "collect_schema"):
            table = table.collect()
        if any(name is not None for name in getattr(getattr(table, "index", None), "names", ())):
            table = table.reset_index()
        self._table = table
        columns = table.column_names if hasattr(table, "column_names") else table
        names = columns if isinstance(table, Mapping) else getattr(columns, "columns", columns)
        self.names = tuple(str(name) for name in names)
        self._keys = dict(zip(self.names, names, strict=True))
        if len(self._keys) != len(self.names):
            raise InputError("table", "a table with distinct column names", list(self.names))
        self.indexes = indexes_among(self.names)
        self.notes = index_notes(self.indexes)

    @staticmethod
    def fits(source: Any) -> bool:
        """Whether the object is a table whose columns can be read one by one."""
        if isinstance(source, Mapping) or hasattr(source, "collect_schema"):
            return True
        named = hasattr(source, "columns") or hasattr(source, "column_names")
        streams = hasattr(source, "__arrow_c_stream__") and not hasattr(source, "to_dict")
        return named and hasattr(source, "__getitem__") and (not streams or _is_arrow(source))

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, all rows at once: they are in memory already."""
        columns = {name: _as_array(self._table[self._keys[name]]) for name in names}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise InputError("table", "columns of equal length", f"lengths {sorted(lengths)}")
        if lengths != {0}:
            yield columns

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"row {row}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)


def _is_arrow(source: Any) -> bool:
    return hasattr(source, "to_pylist")


def _as_array(column: Any) -> Array:
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    if isinstance(column, np.ma.MaskedArray):
        # What is masked is missing, whatever lies under the mask.
        cells = column.data.astype(object)
        cells[np.ma.getmaskarray(column)] = None
        return cells
    if isinstance(column, np.ndarray):
        return column
    try:
        array = np.asarray(column)
    except ValueError:
        array = np.empty(len(column), dtype=object)
        array[:] = column
        return array
    if array.dtype.kind in "US":
        # A list with numbers and texts must not become all text: None would turn into "None".
        array = np.empty(len(column), dtype=object)
        array[:] = column
    return array
