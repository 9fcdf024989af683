"""Parquet and Arrow files as chunks of columns; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...arrays import Array
from ...errors import InputError, MissingExtraError, StorageError
from .arrow_stream import as_array
from .object_store import StoredFile
from .table import index_notes, indexes_among

CHUNK_CELLS = 1 << 18
MOST_ROWS = 65_536
BUFFER = 1 << 20


class ParquetFiles:
    """One or several Parquet or Arrow files with the same columns, read one after another.

    Attributes:
        names: the columns, in order.
        notes: what was taken for an index.
        indexes: columns that only number the rows.
    """

    def __init__(self, *paths: Path | StoredFile) -> None:
        self._paths = paths
        self.names = tuple(schema_of(paths[0]).names)
        if len(set(self.names)) != len(self.names):
            raise InputError(str(paths[0]), "a table with distinct column names", list(self.names))
        self.indexes = indexes_among(self.names)
        self.notes = index_notes(self.indexes)

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        for path in self._paths:
            yield from batches(path, names)

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"row {row}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)


def batches(path: Path | StoredFile, names: Iterable[str]) -> Iterator[dict[str, Array]]:
    """Yield the named columns of a file, some rows at a time."""
    import pyarrow as pa

    try:
        for batch in _batch_reader(path, names):
            yield {name: as_array(batch.column(name)) for name in names}
    except StorageError:
        raise
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise InputError(str(path), "a whole Parquet or Arrow file", _first_line(error)) from error


def schema_of(path: Path | StoredFile) -> Any:
    """Return the Arrow schema of a Parquet or Arrow file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow, which reads Parquet files,", "data") from error
    try:
        with _opened(path) as file:
            schema = pa.ipc.open_file(file).schema if _is_arrow(path) else pq.read_schema(file)
        list(schema.names)  # decoded only when they are asked for
    except StorageError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), "a whole Parquet or Arrow file", _first_line(error)) from error
    return schema


def _batch_reader(path: Path | StoredFile, names: Iterable[str]) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _opened(path) as file:
        if _is_arrow(path):
            reader = pa.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                # Arrow trusts the lengths and offsets in such files, and would read beyond them.
                batch.validate(full=True)
                yield batch
            return
        with pq.ParquetFile(file, pre_buffer=False, buffer_size=BUFFER) as parquet:
            rows = _rows_at_once(parquet.schema_arrow, names)
            yield from parquet.iter_batches(batch_size=rows, columns=list(names))


def _rows_at_once(schema: Any, names: Iterable[str]) -> int:
    widths = (getattr(schema.field(name).type, "list_size", 1) for name in names)
    return max(1, min(MOST_ROWS, CHUNK_CELLS // max(1, sum(widths))))


@contextmanager
def _opened(path: Path | StoredFile) -> Iterator[Any]:
    """Yield the file: where it is stored, mapped if it is Arrow, or plain."""
    import pyarrow as pa

    if isinstance(path, StoredFile):
        with path.opened() as file:
            yield file
        return
    with (pa.memory_map if _is_arrow(path) else pa.OSFile)(str(path)) as file:
        yield file


def _is_arrow(path: Path | StoredFile) -> bool:
    with path.opened() if isinstance(path, StoredFile) else open(path, "rb") as file:
        return bool(file.read(6) == b"ARROW1")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
