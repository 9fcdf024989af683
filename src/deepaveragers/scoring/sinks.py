"""Where decisions are written: text tables, JSON lines, Parquet; whole files or standard output."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

import msgspec
import numpy as np

from ..arrays import Array
from ..errors import InputError, MissingExtraError
from ..outputs import check_file

FORMATS = {"csv": (".csv", ".csv.gz"), "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")}
FORMATS["parquet"] = (".parquet", ".pq")

Columns = Mapping[str, Array]


class Sink(Protocol):
    """What decisions are written to."""

    def write(self, columns: Columns) -> None:
        """Write some rows: columns of equal length, the same ones every time."""

    def close(self) -> None:
        """End the table."""


def format_of(name: str) -> str:
    """Return the format that the end of a name says."""
    for format, endings in FORMATS.items():
        if name.lower().endswith(endings):
            return format
    known = ", ".join(end for ends in FORMATS.values() for end in ends)
    raise InputError("--output", f"a name that ends in one of {known}, or '-'", name)


@contextmanager
def file_sink(path: Path, names: Sequence[str]) -> Iterator[Sink]:
    """Write a file beside its place, and move it there in one step when all rows are written."""
    check_file(path)
    format = format_of(path.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    try:
        if format == "parquet":
            sink: Sink = ParquetSink(temporary)
            yield sink
            sink.close()
        else:
            with _text(temporary, packed=path.name.lower().endswith(".gz")) as stream:
                yield stream_sink(stream, format, names)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def stream_sink(stream: TextIO, format: str, names: Sequence[str]) -> Sink:
    """Return what writes to an open text."""
    return CsvSink(stream, names) if format == "csv" else JsonSink(stream)


def _text(path: Path, *, packed: bool) -> TextIO:
    if packed:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return open(path, "w", encoding="utf-8", newline="")


class CsvSink:
    """Cells separated by commas; numbers with all their digits."""

    def __init__(self, stream: TextIO, names: Sequence[str]) -> None:
        self._stream = stream
        self._writer = csv.writer(stream, lineterminator="\n")
        self._writer.writerow(names)

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        texts = [_texts(column) for column in columns.values()]
        rows = len(texts[0])
        plain = "\n".join(map(",".join, zip(*texts, strict=True)))
        marks = plain.count("\n"), plain.count(","), '"' in plain or "\r" in plain
        if marks == (rows - 1, rows * (len(texts) - 1), False):
            self._stream.write(f"{plain}\n")
        else:  # no rows, or a cell that has to be quoted
            self._writer.writerows(zip(*texts))

    def close(self) -> None:
        """Hand over what is left."""
        self._stream.flush()


class JsonSink:
    """One JSON object a line; a number that is not finite is null."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode_lines

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        names = list(columns)
        lists = map(_plain, columns.values())
        lines = self._encode([dict(zip(names, row)) for row in zip(*lists, strict=True)])
        self._stream.write(lines.decode())

    def close(self) -> None:
        """Hand over what is left."""
        self._stream.flush()


class ParquetSink:
    """A Parquet file; its types are those of the first rows."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise MissingExtraError("pyarrow, which writes Parquet files,", "data") from error
        self._arrow, self._path = pyarrow, path
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        arrow = self._arrow
        arrays = {name: self._array(column) for name, column in columns.items()}
        if self._writer is None:
            table = arrow.table(arrays)
            self._writer = arrow.parquet.ParquetWriter(self._path, table.schema)
        else:
            table = arrow.table(arrays, schema=self._writer.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """End the file; without rows there is none."""
        if self._writer is None:
            self._writer = self._arrow.parquet.ParquetWriter(self._path, self._arrow.schema([]))
        self._writer.close()

    def _array(self, column: Array) -> Any:
        if column.dtype.kind != "O":
            return self._arrow.array(column)
        texts = [None if cell is None else str(cell) for cell in column.tolist()]
        return self._arrow.array(texts, self._arrow.string())


def _plain(column: Array) -> list[Any]:
    if column.dtype.kind == "M":
        return np.datetime_as_string(column).tolist()
    return column.tolist()


def _texts(column: Array) -> list[str]:
    """Return cells of a text table; of numbers, a short text that gives them back."""
    values = _plain(column)
    if column.dtype.kind == "f" and len(values) and np.isfinite(column).all():
        # Much quicker than one number after another.
        return msgspec.json.encode(values).decode()[1:-1].split(",")
    return ["" if value is None else str(value) for value in values]
