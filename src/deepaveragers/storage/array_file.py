"""Arrays as files: written whole and flushed, mapped only after their size was checked."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from ..arrays import HEADER_PROBLEMS, Array
from ..errors import BundleError
from .manifest import ARRAY_NAME, DTYPES, array_file_name
from .sharing import Shared

MapMode = Literal["r", "c"]


def write_array(directory: Path, name: str, array: Array, shared: Shared) -> dict[str, Any]:
    """Write an array under a name made of its content, and return its manifest entry.

    Args:
        directory: of the bundle.
        name: of the array in it.
        array: its content.
        shared: files that may hold it already, and are then linked.
    """
    if ARRAY_NAME.fullmatch(name) is None or array.dtype.str not in DTYPES:
        raise ValueError(f"array {name!r} of type {array.dtype} cannot be stored")
    digest = shared.digest(array)
    array = np.asarray(array, order="C")
    digest = digest_of(array) if digest is None else digest
    file = directory / array_file_name(name, digest)
    entry: dict[str, Any] = {
        "file": file.name,
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "sha256": digest,
    }
    if shared.link(entry, file):
        return entry

    def write(stream: BinaryIO) -> None:
        # Not by NumPy's own writer, which overlooks that the last bytes found no room.
        np.lib.format.write_array_header_1_0(
            stream, np.lib.format.header_data_from_array_1_0(array)
        )
        stream.write(bytes_of(array))

    write_whole(file, write)
    return entry


def write_whole(file: Path, write: Any) -> None:
    """Write a file beside its place, flush it to the disk, and move it there in one step."""
    temporary = file.with_suffix(f".tmp-{os.getpid()}")
    try:
        with open(temporary, "wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def read_array(directory: Path, name: str, entry: Mapping[str, Any], mode: MapMode = "r") -> Array:
    """Return an array, memory-mapped; nothing is allocated on the word of the file alone.

    Args:
        directory: of the bundle.
        name: of the array in it.
        entry: of the manifest.
        mode: "r" maps it for reading; "c" as if it could be written, which changes no file.
    """
    file = directory / entry["file"]
    if file.is_symlink() or not file.is_file():
        raise FileNotFoundError(f"the file of {name!r} is missing.")
    shape, dtype = tuple(entry["shape"]), np.dtype(entry["dtype"])
    offset = checked_file(file, shape, dtype)
    if 0 in shape:
        return np.empty(shape, dtype=dtype)
    return np.asarray(np.memmap(file, dtype=dtype, mode=mode, offset=offset, shape=shape))


def checked_file(file: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Return where the numbers begin in a file, which must hold the array that is described."""
    with open(file, "rb") as stream:
        try:
            stored, offset = _header(stream), stream.tell()
        except HEADER_PROBLEMS as error:
            raise BundleError(f"{file} is damaged: it is not a whole array file.") from error
        size = os.fstat(stream.fileno()).st_size
    if stored != (shape, False, dtype):
        raise BundleError(f"{file} is damaged: it is not the array that the manifest describes.")
    if size != offset + math.prod(shape) * dtype.itemsize:
        raise BundleError(f"{file} is damaged: it has another length than its header says.")
    return offset


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"array format {version}")
    return np.lib.format.read_array_header_1_0(stream)


def digest_of(array: Array) -> str:
    """Return the SHA-256 of an array's bytes."""
    return hashlib.sha256(bytes_of(np.asarray(array, order="C"))).hexdigest()


def bytes_of(array: Array) -> memoryview:
    """Return the bytes of an array without a copy."""
    return array.reshape(-1).view(np.uint8).data
