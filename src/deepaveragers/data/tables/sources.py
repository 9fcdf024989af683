"""Where tables come from: files, many files, archives, databases, and objects in memory."""

from __future__ import annotations

import glob
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...arguments import file_path
from ...errors import InputError, StorageError
from .arrow_stream import gives_table, open_given
from .csv_file import CsvFile
from .database import (
    DATABASE_SUFFIXES,
    is_connection,
    is_url,
    open_connection,
    open_database_file,
    open_url,
)
from .excel import EXCEL_SUFFIXES, ExcelSheet
from .frames import Frame
from .json_lines import JsonLines
from .object_store import StoredFile, is_stored, stored_files
from .parquet import ParquetFiles
from .several import SeveralTables
from .table import Table
from .text_source import TextFile, TextSource

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
JSON_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
ARROW_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather")
ENDINGS = {
    TEXT_SUFFIXES: "a text table",
    JSON_SUFFIXES: "JSON lines",
    ARROW_SUFFIXES: "a Parquet or Arrow file",
    EXCEL_SUFFIXES: "an Excel or OpenDocument file",
    DATABASE_SUFFIXES: "a database",
    (".zip",): "an archive of text tables",
}
"""How the names of tables end, and what they then are."""


def located(source: Any) -> Any:
    """Return a path for a text, and a list of paths for a pattern or several of them.

    A URL of an object store is a `StoredFile` or several; other URLs and objects are returned as
    they are.
    """
    if is_stored(source):
        stored = stored_files(source)
        return stored[0] if len(stored) == 1 else stored
    if is_url(source):
        return source
    if isinstance(source, str | os.PathLike):
        path = file_path("source", source)
        if glob.has_magic(str(path)) and not path.exists():
            return _matching(str(path))
        return path
    if isinstance(source, list | tuple):
        if not source:
            raise InputError("source", "at least one path", "an empty list")
        return [found for one in source for found in _located_each(one)]
    return source


def _located_each(source: Any) -> Sequence[Path | StoredFile]:
    if isinstance(source, StoredFile):
        return [source]
    return stored_files(source) if is_stored(source) else [file_path("source", source)]


def _matching(pattern: str) -> list[Path]:
    found = sorted(Path(name) for name in glob.glob(pattern, recursive=True))
    if not found:
        raise StorageError(f"no file matches {pattern}.")
    return found


def is_table(source: Any) -> str | None:
    """Return why a located source is a table; None where it is not known to be one."""
    if isinstance(source, list):
        return f"{len(source)} files were named"
    if isinstance(source, StoredFile):
        return "it is a file in an object store"
    if is_url(source):
        return "it is the URL of a database"
    if isinstance(source, Path):
        name = source.name.lower()
        ends = [what for endings, what in ENDINGS.items() if name.endswith(endings)]
        return f"its name ends like {ends[0]}" if ends else None
    if Frame.fits(source):
        return "the object has named columns"
    if is_connection(source):
        return "the object is a connection to a database"
    return "the object gives Arrow or a DataFrame" if gives_table(source) else None


def is_arrow_path(source: Any) -> bool:
    """Whether the source is a file whose name ends like a Parquet or Arrow file."""
    return isinstance(source, Path | StoredFile) and source.name.lower().endswith(ARROW_SUFFIXES)


def open_table(
    source: Any,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    sheet: str | None = None,
    sql: str | None = None,
) -> Table:
    """Return the table at a path or URL, or in memory.

    Args:
        source: a path, a pattern of paths, a list of paths, a URL of a database, a connection,
            a DataFrame, a dictionary of columns, or an object that gives Arrow.
        delimiter, encoding: of text tables.
        sheet: of an Excel file.
        sql: query or table of a database.
    """
    found = located(source)
    if is_url(found):
        return open_url(found, sql)
    if isinstance(found, list):
        opened = [
            (str(path), open_table(path, delimiter=delimiter, encoding=encoding, sheet=sheet))
            for path in found
        ]
        return opened[0][1] if len(opened) == 1 else SeveralTables(opened)
    if isinstance(found, StoredFile):
        return _open_stored(found)
    if not isinstance(found, Path):
        return _open_object(found, sql)
    if not found.is_file():
        raise StorageError(f"{found} cannot be read: it is not a file.")
    name = found.name.lower()
    if name.endswith(ARROW_SUFFIXES):
        return ParquetFiles(found)
    if name.endswith(EXCEL_SUFFIXES):
        return ExcelSheet(found, sheet)
    if name.endswith(DATABASE_SUFFIXES):
        return open_database_file(found, sql)
    if name.endswith(".zip"):
        return _open_archive(found, delimiter, encoding)
    return open_text(_text_file(found, encoding), name, delimiter, encoding)


def _open_stored(file: StoredFile) -> Table:
    if not is_arrow_path(file):
        allowed = "a Parquet or Arrow file, where it is in an object store"
        raise InputError("source", allowed, repr(str(file)), "Download the file first.")
    return ParquetFiles(file)


def open_text(
    source: TextSource, name: str, delimiter: str | None = None, encoding: str = "utf-8"
) -> Table:
    """Return a text as the table that the end of its name says: JSON lines, or cells in lines."""
    if name.endswith(JSON_SUFFIXES):
        return JsonLines(source)
    return CsvFile(source, delimiter, encoding)


def _text_file(path: Path, encoding: str, member: str | None = None) -> TextFile:
    # The mark at the start of a file, if there is one, belongs to no name.
    marked = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    return TextFile(path, marked, member)


def _open_object(source: Any, sql: str | None) -> Table:
    if Frame.fits(source):
        return Frame(source)
    if is_connection(source):
        return open_connection(source, sql)
    if gives_table(source):
        return open_given(source)
    raise InputError("source", "a path, a DataFrame or columns", type(source).__name__)


def _open_archive(path: Path, delimiter: str | None, encoding: str) -> Table:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise InputError(str(path), "a zip archive", str(error)) from error
    members = [
        name
        for name in sorted(names)
        if name.lower().endswith((".csv", ".tsv", ".txt")) and not name.startswith("__MACOSX/")
    ]
    if not members:
        shown = ", ".join(names[:3]) or "nothing"
        raise InputError(str(path), "an archive of .csv, .tsv or .txt files", f"one of {shown}")
    opened = [
        (name, CsvFile(_text_file(path, encoding, name), delimiter, encoding)) for name in members
    ]
    return opened[0][1] if len(opened) == 1 else SeveralTables(opened)
