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
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..arrays import Array
from ..errors import StorageError

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
    try:
        with tempfile.TemporaryFile(prefix="deepaveragers-") as file:
            _reserve(file.fileno(), size)
            mapped = mmap.mmap(file.fileno(), size)
    except OSError as error:
        raise StorageError(
            f"{tempfile.gettempdir()} has no room for {size / 1e9:.1f} GB of temporary data: "
            f"{error.strerror}. Set TMPDIR to a larger disk."
        ) from error
    return np.frombuffer(mapped, dtype).reshape(shape)


def _reserve(descriptor: int, size: int) -> None:
    """Take the space now: a disk that fills up later would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


def copied(source: Any, target: Array, rows: Any = None) -> Array:
    """Copy an array's rows, all or the given ones, into another, a block at a time."""
    step = max(1, BLOCK // max(1, target.nbytes // max(1, len(target))))
    for start in range(0, len(target), step):
        part = slice(start, start + step)
        target[part] = source[part if rows is None else rows[part]]
    return target
