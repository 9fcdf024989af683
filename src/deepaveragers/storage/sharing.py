"""Arrays that another bundle on the disk holds already get a hard link instead of a copy.

A plan's bundle has every array of its model, so that it stands alone; made of a model that was
loaded, it takes no more room than its own values. Files of bundles are never changed in place: so
both stay whole whatever becomes of the other. Where there are no links, as between two disks,
arrays are copied.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import StorageError
from .manifest import read_manifest


class Shared:
    """The files of the bundles that some arrays come from."""

    def __init__(self, arrays: Iterable[Array]) -> None:
        """Look at the bundles of those arrays that are mapped."""
        self._entries: dict[Path, dict[str, Any]] = {}
        for directory in {file.parent for file in map(_mapped_file, arrays) if file is not None}:
            try:
                entries = read_manifest(directory)["arrays"].values()
            except StorageError:  # replaced since, or no bundle
                continue
            self._entries |= {directory / entry["file"]: entry for entry in entries}
        self._files = {_content(entry): file for file, entry in self._entries.items()}

    def digest(self, array: Array) -> str | None:
        """Return the digest of an array that is one of the files, without reading it."""
        file = _mapped_file(array)
        entry = None if file is None else self._entries.get(file)
        return None if entry is None else str(entry["sha256"])

    def link(self, entry: Mapping[str, Any], target: Path) -> bool:
        """Give the file with the content of an entry another name in one step, if that can be."""
        file = self._files.get(_content(entry))
        if file is None:
            return False
        temporary = target.with_suffix(f".tmp-{os.getpid()}")
        try:
            os.link(file, temporary, follow_symlinks=False)
            os.replace(temporary, target)
        except (OSError, NotImplementedError):
            return False
        finally:
            # Still there if the target was this very file already.
            temporary.unlink(missing_ok=True)
        return True


def _content(entry: Mapping[str, Any]) -> tuple[str, str, tuple[int, ...]]:
    return entry["sha256"], entry["dtype"], tuple(entry["shape"])


def _mapped_file(array: Array) -> Path | None:
    """Return the file of which an array is a read-only mapping, whole and as it is there."""
    mapped: Any = array
    while isinstance(mapped, np.ndarray) and not isinstance(mapped.base, mmap):
        mapped = mapped.base
    if not isinstance(mapped, np.memmap) or mapped.mode != "r" or mapped.filename is None:
        return None
    one, other = (
        (each.dtype.str, each.shape, each.strides, each.__array_interface__["data"])
        for each in (array, mapped)
    )
    return Path(mapped.filename) if one == other else None
