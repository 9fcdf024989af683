"""Room for arrays that may not fit into memory.

Small arrays live in memory. Large ones are mapped to a temporary file that has no name: the
system gives its space back when the array is gone, however the process ends. It lies where
`tempfile` puts files, which the variable TMPDIR decides.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike

from ..arrays import Array
from ..errors import InputError, StorageError

IN_MEMORY = 64 << 20
"""Bytes up to which an array lives in memory."""
BLOCK = 16 << 20
"""Bytes that are copied at once."""


def room(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """Return an array of zeros, in memory or, if it is large, mapped to a temporary file."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if size <= IN_MEMORY:
        return np.zeros(shape, dtype)
    with _temporary_file(size) as file:
        _reserve(file.fileno(), size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype).reshape(shape)


@contextmanager
def _temporary_file(size: int) -> Iterator[IO[bytes]]:
    try:
        with tempfile.TemporaryFile(prefix="deepaveragers-") as file:
            yield file
    except OSError as error:
        raise no_room(size, error) from error


def no_room(size: int, error: OSError) -> StorageError:
    """Return what to say where the temporary directory is full."""
    return StorageError(
        f"{tempfile.gettempdir()} has no room for {size / 1e9:.1f} GB of temporary data: "
        f"{error.strerror}. Set TMPDIR to a larger disk."
    )


def _reserve(descriptor: int, size: int) -> None:
    """Take the space now: a disk that fills up later would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


def taken(source: Array, rows: Array) -> Array:
    """Return the rows of an array, by number or mask, in an array of their own."""
    numbers = np.flatnonzero(rows) if rows.dtype == bool else rows
    return copied(source, room((len(numbers), *source.shape[1:]), source.dtype), numbers)


def converted(source: Array, dtype: DTypeLike) -> Array:
    """Return an array in another type."""
    return copied(source, room(source.shape, dtype))


def end_to_end(parts: Sequence[Array]) -> Array:
    """Return arrays of one shape of rows, one after the other, in their common type."""
    shape = sum(map(len, parts)), *parts[0].shape[1:]
    whole, row = room(shape, np.result_type(*parts)), 0
    for part in parts:
        copied(part, whole[row : row + len(part)])
        row += len(part)
    return whole


def copied(source: Any, target: Array, rows: Any = None) -> Array:
    """Copy an array's rows, all or the given ones, into another, a block at a time."""
    step = max(1, BLOCK // max(1, target.nbytes // max(1, len(target))))
    for start in range(0, len(target), step):
        part = slice(start, start + step)
        target[part] = source[part if rows is None else rows[part]]
    return target


class Growing:
    """Parts that become one array: in memory while they are small, else in a temporary file."""

    def __init__(self) -> None:
        self._parts: list[Array] = []
        self._kinds: list[tuple[int, np.dtype[Any]]] = []
        self._shape: tuple[int, ...] | None = None
        self._bytes = 0
        self._file: IO[bytes] | None = None

    def append(self, part: Array) -> None:
        """Add rows at the end."""
        part = np.ascontiguousarray(part)
        if self._shape is not None and part.shape[1:] != self._shape:
            raise InputError(
                "source", f"of rows of one shape, {self._shape} as in the first", part.shape[1:]
            )
        self._shape = part.shape[1:]
        self._bytes += part.nbytes
        self._kinds.append((len(part), part.dtype))
        self._parts.append(part)
        if self._file is not None or self._bytes > IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="deepaveragers-")  # noqa: SIM115
            for part in self._parts:
                self._file.write(part.reshape(-1).view(np.uint8).data)
            self._file.flush()
        except OSError as error:
            raise no_room(self._bytes, error) from error
        self._parts.clear()

    def whole(self) -> Array:
        """Return all rows; nothing can be added afterwards."""
        if self._file is None:
            return np.concatenate(self._parts)
        assert self._shape is not None
        with self._file:
            content = np.frombuffer(mmap.mmap(self._file.fileno(), self._bytes), np.uint8)
        kinds = {dtype for _, dtype in self._kinds}
        size = sum(rows for rows, _ in self._kinds)
        if len(kinds) == 1:
            return content.view(kinds.pop()).reshape(size, *self._shape)
        common = room((size, *self._shape), np.result_type(*kinds))
        row = begin = 0
        for rows, dtype in self._kinds:
            end = begin + rows * math.prod(self._shape) * dtype.itemsize
            part = content[begin:end].view(dtype).reshape(rows, *self._shape)
            copied(part, common[row : row + rows])
            row, begin = row + rows, end
        return common
