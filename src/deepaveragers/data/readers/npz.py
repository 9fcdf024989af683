"""NumPy archives (.npz) with one array per field; pickled arrays are never read.

Known names: those of `Transitions`, and the usual other ones for the same thing.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import HEADER_PROBLEMS, Array
from ...errors import InputError, StorageError
from ..scratch import BLOCK, room
from .flat import flat_reading
from .report import ActionMap, Reading

MOST_COMPRESSION = 1_100
"""Deflate cannot pack tighter than 1032 to 1: a member that claims more is lying."""

MEMBER_PROBLEMS = (*HEADER_PROBLEMS, NotImplementedError, RuntimeError, zlib.error)
"""What NumPy raises for headers that are none, and zipfile for members that are none."""


def read_npz(path: Path, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of an archive."""
    arrays = load_npz(path)
    return flat_reading(arrays, "npz", str(path), actions)


def load_npz(path: Path) -> Mapping[str, Array]:
    """Return the plain arrays of an archive, none larger than its file allows."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
            arrays = {info.filename[:-4]: _member(archive, info, path) for info in members}
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(str(path), "a NumPy archive (.npz)", str(error)) from error
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not arrays:
        raise InputError(str(path), "a NumPy archive (.npz) with arrays", "one with none")
    return arrays


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Array:
    try:
        stream: Any
        with archive.open(info) as stream:
            shape, order, dtype = _header(stream)
            size = int(np.prod([1, *shape], dtype=object)) * dtype.itemsize
            if dtype.hasobject or not dtype.itemsize or size > info.file_size:
                raise ValueError("its header promises more than is there")
            if info.file_size > MOST_COMPRESSION * (info.compress_size + 1024):
                raise ValueError("its size is not possible")
            content = room((size,), np.uint8)
            for start in range(0, size, BLOCK):
                part = content[start : start + BLOCK]
                if stream.readinto(part.data) != len(part):
                    raise ValueError("it has another length than its header says")
            if stream.read(1):
                raise ValueError("it has another length than its header says")
    except MEMBER_PROBLEMS as error:
        raise InputError(
            str(path), "an archive of whole plain arrays", f"{info.filename} ({error})"
        ) from error
    return content.view(dtype).reshape(shape, order="F" if order else "C")


def _header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(stream)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(stream)
    raise ValueError(f"its array format {version} is not known")
