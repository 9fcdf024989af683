"""Excel and OpenDocument files as tables; needs python-calamine."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ...arguments import listed_names
from ...arrays import Array
from ...errors import InputError, MissingExtraError, StorageError
from .csv_file import CHUNK_CELLS, named_columns

EXCEL_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
LARGEST = 1 << 30
"""Bytes that such a file may have unpacked: a sheet of a million rows has less."""


class ExcelSheet:
    """A sheet whose first filled row names the columns.

    Attributes:
        names: the columns, in order.
        notes: what was decided while opening.
        indexes: an unnamed first column, or one that pandas named.
    """

    def __init__(self, path: Path, sheet: str | None = None) -> None:
        self._path = path
        workbook = _workbook(path)
        found = list(workbook.sheet_names)
        if not found or (sheet is not None and sheet not in found):
            raise InputError("sheet", f"a sheet of {path}: {listed_names(found)}", repr(sheet))
        self._sheet = found[0] if sheet is None else sheet
        self._rows: list[tuple[int, list[Any]]] = [
            (number, row)
            for number, row in enumerate(self._read(workbook), start=1)
            if any(cell != "" for cell in row)
        ]
        if not self._rows:
            raise InputError(str(path), "a table with a header", f"the empty sheet {self._sheet!r}")
        header = [str(cell) for cell in self._rows.pop(0)[1]]
        while header and header[-1].strip() == "":
            header.pop()
        self.names, self.indexes, notes = named_columns(header, str(path), ", ".join(header)[:80])
        others = f", of {len(found)}" if len(found) > 1 else ""
        self.notes = (f"the sheet {self._sheet!r} was read{others}", *notes)

    def _read(self, workbook: Any) -> list[list[Any]]:
        try:
            rows: list[list[Any]] = workbook.get_sheet_by_name(self._sheet).to_python(
                skip_empty_area=False
            )
        except Exception as error:  # whatever a damaged file makes the library raise
            raise _damaged(self._path, error) from error
        return rows

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        places = {name: self.names.index(name) for name in names}
        rows = iter(self._rows)
        while chunk := list(islice(rows, 1 + CHUNK_CELLS // len(self.names))):
            columns = {}
            for name, place in places.items():
                columns[name] = np.empty(len(chunk), dtype=object)
                columns[name][:] = [row[place] for _, row in chunk]
            yield columns

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"row {self._rows[row][0]} of the sheet {self._sheet!r}"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)


def _workbook(path: Path) -> Any:
    try:
        import python_calamine
    except ImportError as error:
        raise MissingExtraError("python-calamine, which reads Excel files,", "data") from error
    try:
        if zipfile.is_zipfile(path):
            _check_unpacked(path)
        return python_calamine.CalamineWorkbook.from_path(str(path))
    except InputError:
        raise
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}.") from error
    except Exception as error:  # whatever a damaged file makes the library raise
        raise _damaged(path, error) from error


def _check_unpacked(path: Path) -> None:
    """Raise an error if an archive is too large unpacked, or larger than it says."""
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > LARGEST:
            raise InputError(str(path), f"of at most {LARGEST:,} bytes unpacked", f"{size:,}")
        # A member is read up to the size that it claims, and then has another checksum.
        broken = archive.testzip()
    if broken is not None:
        raise InputError(str(path), "a whole Excel or OpenDocument file", f"{broken!r} is broken")


def _damaged(path: Path, error: Exception) -> InputError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return InputError(str(path), "a whole Excel or OpenDocument file", reason[:120])
