"""Bundles: a directory of plain arrays and one manifest.

    bundle/
      manifest.json                     kind, format version, settings, every array's file,
                                        dtype, shape and SHA-256, and its own SHA-256
      <array>-<first of its digest>.npy     one file, or one per part of its rows (`part_files`)

Writing is atomic: arrays are written under names made of their own content and flushed to
the disk, then the manifest is replaced in one rename, then files that it no longer names
are removed. Whenever it is interrupted, the manifest names a whole old bundle or a whole
new one, and unless the process was killed, nothing else is left, as after a full disk. A
reader that meets a writer sees one of the two. Nothing is pickled, and reading never follows
a name out of the directory. Arrays that another bundle holds are linked (`sharing`).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from ..arguments import choice
from ..arrays import Array
from ..errors import BundleError, StorageError
from ..outputs import check_folder
from .array_file import MapMode, digest_of, read_array, write_array, write_whole
from .lock import PATIENCE_SECONDS, BusyError, only_writer
from .manifest import MANIFEST, files_of, manifest_text, read_manifest
from .part_files import read_parts, rows_of_parts, write_parts
from .sharing import Shared, part_rows_of

OWN_FILE = re.compile(r"[a-z][a-z0-9_.]{0,79}-[0-9a-f]{16}\.(npy|tmp-\d+)|manifest\.tmp-\d+")

WRITABLE = frozenset({"policy"})
"""Kinds whose arrays kernels read as they are mapped; those are compiled for arrays that can be
written. What is written goes to memory, never to the file."""

Verify = Literal["full", "quick"]


@dataclass(frozen=True)
class Contents:
    """What a bundle holds, free of any meaning.

    Attributes:
        kind: what it is a bundle of.
        settings: plain JSON values.
        arrays: named arrays.
        part_rows: rows of a part, for arrays that are longer; None keeps what the replaced
            bundle has, or those that the arrays are mapped from.
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    part_rows: int | None = None


def write_bundle(contents: Contents, path: str | Path) -> Path:
    """Write a bundle at the path, replacing an older bundle there in one step."""
    directory = Path(path)
    check_target(directory, contents.kind)
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with only_writer(directory):
            check_target(directory, contents.kind)
            _remove_unnamed(directory)  # what a killed process left takes up room
            try:
                _write(contents, directory)
            finally:
                _whatever_comes(lambda: _remove_unnamed(directory))
    except StorageError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{directory} cannot be written: {reason}.") from error
    finally:
        _whatever_comes(lambda: _remove_empty(missing))
    return directory


def _write(contents: Contents, directory: Path) -> None:
    shared = Shared(contents.arrays.values())
    part_rows = contents.part_rows or shared.part_rows or _part_rows(directory)
    if part_rows is not None:
        longest = max(len(array) for array in contents.arrays.values() if array.ndim)
        part_rows = rows_of_parts(part_rows, longest)
    entries = {
        name: write_array(directory, name, array, shared)
        if part_rows is None or array.ndim == 0 or len(array) <= part_rows
        else write_parts(directory, name, array, part_rows, shared)
        for name, array in contents.arrays.items()
    }
    text = manifest_text(contents.kind, contents.settings, entries)
    # The arrays must be on the disk before anything names them.
    _sync_directory(directory)
    write_whole(directory / MANIFEST, lambda stream: stream.write(text.encode()))
    _sync_directory(directory)
    _sync_directory(directory.absolute().parent)


def _part_rows(directory: Path) -> int | None:
    """Return the rows of a part in the bundle that is there, if there is one with parts."""
    if not (directory / MANIFEST).exists():
        return None
    return part_rows_of(read_manifest(directory)["arrays"].values())


def read_bundle(path: str | Path, *, verify: Verify = "full") -> Contents:
    """Read a bundle; arrays are memory-mapped.

    Args:
        path: the bundle's directory.
        verify: "full" compares every array with its checksum; "quick" only sizes and types.
    """
    choice("verify", verify, get_args(Verify))
    directory = Path(path)
    manifest, arrays = _mapped_beside_writers(directory)
    if verify == "full":
        for name, entry in manifest["arrays"].items():
            _verify(directory, arrays[name], entry)
    return Contents(manifest["kind"], manifest["settings"], arrays)


def _verify(directory: Path, array: Array, entry: Mapping[str, Any]) -> None:
    """Compare an array with its checksum, part by part."""
    start = 0
    for one in files_of(entry):
        rows = array[start : start + one["shape"][0]] if "parts" in entry else array
        start += len(rows) if "parts" in entry else 0
        if digest_of(rows) != one["sha256"]:
            file = directory / one["file"]
            raise BundleError(f"{file} is damaged: its checksum does not match the manifest.")


def _mapped_beside_writers(directory: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what `_mapped` does; only while no one writes does a missing file mean damage."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            return _mapped(directory)
        except FileNotFoundError:
            # A writer may have replaced the bundle since its manifest was read.
            with suppress(BusyError), only_writer(directory, patience=0.0):
                try:
                    return _mapped(directory)
                except FileNotFoundError as error:
                    raise BundleError(f"{directory} is damaged: {error}") from error
    raise BusyError(f"{directory} cannot be read: it is being replaced all the time.")


def _mapped(directory: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the manifest and its arrays; FileNotFoundError where a named file is missing."""
    manifest = read_manifest(directory)
    try:
        mode: MapMode = "c" if manifest["kind"] in WRITABLE else "r"
        return manifest, {
            name: (read_parts if "parts" in entry else read_array)(directory, name, entry, mode)
            for name, entry in manifest["arrays"].items()
        }
    except (FileNotFoundError, StorageError):
        raise
    except OSError as error:
        raise StorageError(f"{directory} cannot be read: {error.strerror}.") from error


def check_target(path: str | Path, kind: str) -> None:
    """Refuse a path where a bundle of this kind cannot be written; only its like gives way."""
    directory = Path(path)
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise StorageError(f"{directory} cannot be written: it exists and is not a directory.")
    check_folder(directory)
    if not directory.is_dir():
        return
    names = [file.name for file in directory.iterdir()]
    # Without a manifest, our own files are what an interrupted first save left.
    if MANIFEST not in names and all(OWN_FILE.fullmatch(name) for name in names):
        return
    try:
        there = read_manifest(directory)["kind"]
    except StorageError as error:
        raise StorageError(
            f"{directory} cannot be written: it holds files that are not a bundle. "
            "Choose another path."
        ) from error
    if there != kind:
        raise StorageError(
            f"{directory} cannot be written: it holds a bundle of another kind, {there!r}, and "
            f"{kind!r} would replace it. Choose another path."
        )


def _sync_directory(directory: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_unnamed(directory: Path) -> None:
    """Remove arrays that the manifest does not name; without one, all."""
    arrays = read_manifest(directory)["arrays"] if (directory / MANIFEST).exists() else {}
    named = {one["file"] for entry in arrays.values() for one in files_of(entry)}
    for file in directory.iterdir():
        if OWN_FILE.fullmatch(file.name) and file.name not in named and file.is_file():
            file.unlink()


def _remove_empty(folders: list[Path]) -> None:
    with suppress(OSError):  # those that something was written to stay
        for folder in folders:
            folder.rmdir()


def _whatever_comes(tidy: Callable[[], None]) -> None:
    """Tidy up to the end: an interrupt meanwhile begins it again, and is raised after it."""
    interrupt = None
    while True:
        try:
            tidy()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
