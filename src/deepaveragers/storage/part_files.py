"""Arrays in parts: files of a fixed number of rows, mapped side by side as one array.

A part begins at a multiple of `ROWS` rows, and its numbers begin at a page of its file. So the
files can be mapped next to each other in one range of addresses: what is read is an ordinary
array, without a copy, however many files it has. Where pages are larger than `PAGE`, or there
is no such mapping (Windows), the parts are copied to a temporary file.

Parts are named by their content like whole arrays. A bundle that grows writes its last part and
the new ones; the others stay where they are.
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..arrays import Array
from ..data.scratch import room
from .array_file import MapMode, bytes_of, checked_file, digest_of, write_whole
from .manifest import array_file_name
from .sharing import PartedFiles, Shared, parted_files

ROWS = 4096
"""Rows of a part are a multiple of this, so that whole pages hold them whatever their type."""
PAGE = 4096
"""Bytes: where the numbers of a part begin in its file."""
MAP_FIXED = 0x10
"""Of the system's mmap; the same number on Linux and macOS."""


MOST_PARTS = 1000
"""Of an array: the manifest names them all."""


def rows_of_parts(part_rows: int, longest: int) -> int:
    """Return rows of a part, rounded up to what can be mapped and to `MOST_PARTS` of an array."""
    return -(-max(part_rows, -(-longest // MOST_PARTS)) // ROWS) * ROWS


def write_parts(
    directory: Path, name: str, array: Array, part_rows: int, shared: Shared
) -> dict[str, Any]:
    """Write an array in parts of `part_rows` rows, and return its manifest entry."""
    known = parted_files(array)
    parts = []
    for number, rows in enumerate(_ranges(len(array), part_rows)):
        part = np.asarray(array[rows], order="C")
        same = known is not None and known.entry["part_rows"] == part_rows
        digest = known.entry["parts"][number]["sha256"] if same and known else digest_of(part)
        file = directory / array_file_name(name, digest)
        entry = {"dtype": array.dtype.str, "shape": list(part.shape), "sha256": digest}
        if not shared.link(entry, file) and not _is_there(file, entry):
            write_whole(file, lambda stream, part=part: _write_part(stream, part))
        parts.append({"file": file.name, "rows": [rows.start, rows.stop], "sha256": digest})
    return {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "part_rows": part_rows,
        "parts": parts,
    }


def _ranges(size: int, part_rows: int) -> Iterator[slice]:
    for start in range(0, size, part_rows):
        yield slice(start, min(start + part_rows, size))


def _write_part(stream: BinaryIO, part: Array) -> None:
    """Write an array file whose header fills a page."""
    about = np.lib.format.header_data_from_array_1_0(part)
    text = repr(about).encode("latin1")
    length = PAGE - 10
    stream.write(np.lib.format.magic(1, 0) + length.to_bytes(2, "little"))
    stream.write(text.ljust(length - 1) + b"\n")
    stream.write(bytes_of(part))


def _is_there(file: Path, entry: Mapping[str, Any]) -> bool:
    """Whether the file has this content already, as after rows were added to a bundle."""
    if file.is_symlink() or not file.is_file():
        return False
    try:
        offset = checked_file(file, tuple(entry["shape"]), np.dtype(entry["dtype"]))
    except OSError:
        return False
    count = math.prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize
    content = np.memmap(file, np.uint8, mode="r", offset=offset, shape=(count,))
    return offset == PAGE and digest_of(content) == entry["sha256"]


def read_parts(directory: Path, name: str, entry: Mapping[str, Any], mode: MapMode = "r") -> Array:
    """Return an array that is stored in parts, mapped; every file's size was checked.

    Args:
        directory: of the bundle.
        name: of the array in it.
        entry: of the manifest.
        mode: "r" maps it for reading; "c" as if it could be written, which changes no file.
    """
    shape, dtype = tuple(entry["shape"]), np.dtype(entry["dtype"])
    offsets = []
    for part in entry["parts"]:
        file = directory / part["file"]
        if file.is_symlink() or not file.is_file():
            raise FileNotFoundError(f"a part of {name!r} is missing, {file.name}.")
        start, stop = part["rows"]
        offsets.append(checked_file(file, (stop - start, *shape[1:]), dtype))
    row_bytes = math.prod(shape[1:]) * dtype.itemsize
    if os.name == "posix" and mmap.PAGESIZE == PAGE and set(offsets) == {PAGE} and row_bytes:
        return _side_by_side(directory, entry, row_bytes, mode)
    whole = room(shape, dtype)
    for part, offset in zip(entry["parts"], offsets, strict=True):
        start, stop = part["rows"]
        own = stop - start, *shape[1:]
        if math.prod(own):
            file = directory / part["file"]
            whole[start:stop] = np.memmap(file, dtype, mode="r", offset=offset, shape=own)
    return whole


def _side_by_side(
    directory: Path, entry: Mapping[str, Any], row_bytes: int, mode: MapMode
) -> Array:
    """Map the files into one range of addresses, which is given back with the array."""
    import ctypes

    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64,
    ]  # fmt: skip
    size = entry["shape"][0] * row_bytes
    rights = mmap.PROT_READ | (mmap.PROT_WRITE if mode == "c" else 0)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    reserved = np.frombuffer(mmap.mmap(-1, size, flags=flags, prot=rights), np.uint8)
    address = reserved.__array_interface__["data"][0]
    for part in entry["parts"]:
        start, stop = (row * row_bytes for row in part["rows"])
        descriptor = os.open(directory / part["file"], os.O_RDONLY)
        try:
            place = system.mmap(
                address + start,
                stop - start,
                rights,
                mmap.MAP_PRIVATE | MAP_FIXED,
                descriptor,
                PAGE,
            )
        finally:
            os.close(descriptor)
        if place != address + start:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), str(directory / part["file"]))
    return np.asarray(PartedFiles(directory, dict(entry), reserved, mode == "r"))
