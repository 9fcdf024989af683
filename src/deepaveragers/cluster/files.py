"""Arrays as files that several machines write and read.

A file is written beside its place under a name of its own and then moved there: whoever looks
finds a whole file or none, also when two processes write the same one.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..arrays import HEADER_PROBLEMS, Array
from ..errors import ClusterError


def write_array(path: Path, array: Array) -> None:
    """Write an array, whole or not at all."""
    with _replacing(path) as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with _replacing(path) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    write_bytes(path, text.encode())


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that is moved to the path when it is written."""
    beside = path.with_name(f".{path.name}.{socket.gethostname()}-{uuid.uuid4().hex[:12]}")
    try:
        with open(beside, "wb") as file:
            yield file
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
