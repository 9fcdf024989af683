"""Arrays that another bundle on the disk holds already get a hard link instead of a copy.

A plan's bundle has every array of its model, so that it stands alone; made of a model that was
loaded, it takes no more room than its own values. Files of bundles are never changed in place: so
both stay whole whatever becomes of the other. Where there are no links, as between two disks,
arrays are copied.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import StorageError
from .manifest import files_of, read_manifest


class Shared:
    """The files of the bundles that some arrays come from.

    Attributes:
        part_rows: rows of a part in those bundles; None where they have no parts.
    """

    def __init__(self, arrays: Iterable[Array]) -> None:
        """Look at the bundles of those arrays that are mapped."""
        self._entries: dict[Path, dict[str, Any]] = {}
        self.part_rows: int | None = None
        for directory in {place for place in map(_bundle_of, arrays) if place is not None}:
            try:
                entries = read_manifest(directory)["arrays"].values()
            except StorageError:  # replaced since, or no bundle
                continue
            files = [one for entry in entries for one in files_of(entry)]
            self._entries |= {directory / entry["file"]: entry for entry in files}
            self.part_rows = part_rows_of(entries) or self.part_rows
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


@dataclass(frozen=True, eq=False)
class PartedFiles:
    """Files that are mapped side by side as one array; arrays of it keep it alive.

    Attributes:
        directory: of the bundle.
        entry: the array in its manifest.
        pages: [bytes] where they are mapped.
        read_only: whether arrays of it cannot be written; then they are as the files are.
    """

    directory: Path
    entry: Mapping[str, Any]
    pages: Array
    read_only: bool

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "data": (self.pages.__array_interface__["data"][0], self.read_only),
            "shape": tuple(self.entry["shape"]),
            "typestr": self.entry["dtype"],
            "version": 3,
        }


def parted_files(array: Array) -> PartedFiles | None:
    """Return the files of which an array is the mapping, whole and as it is there."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, PartedFiles) or not base.read_only:
        return None
    whole = np.asarray(base)
    same = all(
        getattr(array, name) == getattr(whole, name) for name in ("dtype", "shape", "strides")
    )
    at_start = array.__array_interface__["data"][0] == whole.__array_interface__["data"][0]
    return base if same and at_start else None


def part_rows_of(entries: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the rows of a part in a bundle; None where it has no parts."""
    return next((int(entry["part_rows"]) for entry in entries if "parts" in entry), None)


def _bundle_of(array: Array) -> Path | None:
    """Return the directory of the bundle that an array is mapped from."""
    parts, file = parted_files(array), _mapped_file(array)
    if parts is not None:
        return parts.directory
    return None if file is None else file.parent
