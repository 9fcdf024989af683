"""Numbers and flags per transition, from a .npy file or the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ...arguments import listed_names
from ...arrays import HEADER_PROBLEMS, Array, Bool, Float64
from ...errors import InputError, StorageError
from .cells import as_flags
from .numbers import Where, as_numbers
from .sources import open_table
from .table import Table


def read_numbers(path: Path, column: str | None = None) -> Float64:
    """Return [N] numbers.

    Args:
        path: a .npy file, or a table (CSV, Parquet, Arrow) with a row per transition.
        column: of a table; None takes its only one.
    """
    if path.suffix == ".npy":
        return _array(path).astype(np.float64)
    table = open_table(path)
    if column is None:
        if len(table.names) != 1:
            raise InputError(
                str(path),
                "a table of one column",
                f"the columns {listed_names(table.names)}",
                "Choose one with --reward-column.",
            )
        column = table.names[0]
    return np.asarray(_columns(path, table, [column], as_numbers)[:, 0], dtype=np.float64)


def read_flags(path: Path, columns: Sequence[str]) -> Bool:
    """Return [N, columns] booleans.

    Args:
        path: a .npy file, or a table (CSV, Parquet, Arrow) with a row per transition.
        columns: of a table.
    """
    if path.suffix == ".npy":
        flags = _array(path)
        known = flags == flags.astype(bool)
    else:
        flags = _columns(path, open_table(path), columns, as_flags)
        known = flags >= 0
    if not known.all():
        raise InputError(str(path), "of flags, 1 or 0 in every cell", "others, or empty cells")
    return flags.astype(bool)


def _columns(
    path: Path, table: Table, names: Sequence[str], read: Callable[[Array, Where], Array]
) -> Array:
    for name in names:
        if name not in table.names:
            raise InputError(
                str(path),
                f"a table with a column {name!r}",
                f"the columns {listed_names(table.names)}",
            )
    parts, start = [], 0
    for chunk in table.chunks(list(names)):

        def where(name: str, row: int, start: int = start) -> str:
            return f"column {name!r} at {table.place(start + row)}"

        parts.append(np.column_stack([read(chunk[name], partial(where, name)) for name in names]))
        start += len(parts[-1])
    return np.concatenate(parts) if parts else np.empty((0, len(names)))


def _array(path: Path) -> Array:
    try:
        # Mapped, so that nothing is allocated on the word of a damaged header.
        array = np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
    except HEADER_PROBLEMS as error:
        raise StorageError(f"{path} cannot be read: it is not a whole .npy file.") from error
    if array.dtype.kind not in "biuf":
        raise InputError(str(path), "an array of numbers or booleans", f"{array.dtype}")
    return np.asarray(array)
