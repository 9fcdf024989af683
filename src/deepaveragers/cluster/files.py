"""Arrays as files that several machines write and read.

A file is written beside its place under a name of its own and then moved there: whoever looks
finds a whole file or none, also when two processes write the same one.
"""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path

import numpy as np

from ..arrays import HEADER_PROBLEMS, Array
from ..errors import ClusterError


def write_array(path: Path, array: Array) -> None:
    """Write an array, whole or not at all."""
    beside = _beside(path)
    try:
        with open(beside, "wb") as file:
            np.lib.format.write_array(file, array, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    beside = _beside(path)
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def read_array(path: Path) -> Array | None:
    """Return an array, mapped; None if there is no whole one."""
    try:
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except (OSError, *HEADER_PROBLEMS):
        return None


def whole_array(path: Path) -> Array:
    """Return the array of a file that must be there, mapped."""
    array = read_array(path)
    if array is None:
        raise ClusterError(
            f"{path} is missing or not whole. Is it on a file system that all nodes see? "
            "Remove the folder to begin again."
        )
    return array


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{socket.gethostname()}-{uuid.uuid4().hex[:12]}")
