"""Objects that give Arrow or a DataFrame: relations of DuckDB, readers, Spark, Ibis and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import DeepAveragersError, InputError, MissingExtraError
from .frames import Frame
from .table import Table, index_notes, indexes_among

CONVERSIONS = ("to_arrow", "toArrow", "to_pandas", "toPandas")
"""Methods by which libraries hand over a table in memory."""


def gives_table(source: Any) -> bool:
    """Whether the object can hand over its rows as Arrow or a DataFrame."""
    return any(
        hasattr(source, name) for name in ("__arrow_c_stream__", "__dataframe__", *CONVERSIONS)
    )


def open_given(source: Any) -> Table:
    """Return the table that an object gives."""
    if hasattr(source, "__arrow_c_stream__"):
        return ArrowStream(source)
    with _told(source):
        for name in CONVERSIONS:
            if hasattr(source, name):
                return Frame(getattr(source, name)())
        return Frame(_pyarrow().interchange.from_dataframe(source))


@contextmanager
def _told(source: Any) -> Iterator[None]:
    """Say in one sentence what another library raised while it handed over its rows."""
    try:
        yield
    except DeepAveragersError:
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        kind = type(source).__name__
        raise InputError("source", f"a {kind} whose rows can be read", reason[:160]) from error


class ArrowStream:
    """Batches of Arrow, read as they come.

    Attributes:
        names: the columns, in order.
        notes: what was taken for an index.
        indexes: columns that only number the rows.
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        pyarrow = _pyarrow()
        with _told(source):
            self._reader = pyarrow.RecordBatchReader.from_stream(source)
        self.names = tuple(self._reader.schema.names)
        if len(set(self.names)) != len(self.names):
            raise InputError("table", "a table with distinct column names", list(self.names))
        self.indexes = indexes_among(self.names)
        self.notes = index_notes(self.indexes)

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, a batch at a time; a stream can be read once."""
        batches = iter(self._reader)
        while True:
            with _told(self._source):
                batch = next(batches, None)
            if batch is None:
                return
            if batch.num_rows:
                yield {name: as_array(batch.column(name)) for name in names}

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"row {row}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)


def as_array(column: Any) -> Array:
    """Return an Arrow array as NumPy's; lists of one length become rows."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_fixed_size_list(kind) and column.null_count == 0:
        return np.asarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(len(column), -1)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.interchange
    except ImportError as error:
        raise MissingExtraError("pyarrow, which reads such objects,", "data") from error
    return pyarrow
