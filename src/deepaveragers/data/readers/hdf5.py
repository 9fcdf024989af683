"""HDF5 files, opened with care: plain datasets of the file itself, no larger than it allows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError, MissingExtraError, StorageError
from ..scratch import copied, room

MOST_COMPRESSION = 1_100
"""Deflate cannot pack tighter than 1032 to 1: a dataset that claims more is lying."""


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """Open a file for reading; anything that the library cannot make sense of is our error."""
    try:
        import h5py
    except ImportError as error:
        raise MissingExtraError("h5py, which reads HDF5 files,", "data") from error
    if not path.is_file():
        raise StorageError(f"{path} cannot be read: it is not a file.")
    try:
        with h5py.File(path, "r") as file:
            yield file
    except (InputError, StorageError):
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError) as error:
        raise InputError(str(path), "a whole HDF5 file", _first_line(error)) from error


def dataset(file: Any, name: str) -> Any:
    """Return a plain dataset of the file, or raise; its values are not read yet."""
    import h5py

    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise InputError(f"{file.filename}, {name}", "part of the file itself", "a link elsewhere")
    found = file[name]
    if not isinstance(found, h5py.Dataset):
        raise InputError(f"{file.filename}, {name}", "a dataset", type(found).__name__)
    if found.is_virtual or found.external:
        raise InputError(f"{file.filename}, {name}", "part of the file itself", "stored elsewhere")
    text = h5py.check_string_dtype(found.dtype) is not None
    if found.dtype.kind not in "fiubSU" and not text:
        raise InputError(f"{file.filename}, {name}", "plain numbers or text", found.dtype)
    stored = found.id.get_storage_size()
    if found.size and found.size * found.dtype.itemsize > MOST_COMPRESSION * stored + 1024:
        raise InputError(
            f"{file.filename}, {name}",
            "no larger than what is stored for it",
            f"{found.size:,} values in {stored:,} bytes",
        )
    return found


def values(file: Any, name: str) -> Array:
    """Return the values of a plain dataset."""
    import h5py

    found = dataset(file, name)
    if h5py.check_string_dtype(found.dtype) is not None:
        return np.asarray(found.asstr()[()])
    if not found.shape:
        return np.asarray(found[()])
    return copied(found, room(found.shape, found.dtype))


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
