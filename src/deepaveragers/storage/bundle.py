"""Bundles: a directory of plain arrays and one manifest.

    bundle/
      manifest.json                     kind, format version, settings, and every array's
                                        file, dtype, shape and SHA-256
      <array>-<first of its digest>.npy

Writing is atomic: arrays are written under names made of their own content and flushed to
the disk, then the manifest is replaced in one rename, then files that it no longer names
are removed. Whenever it is interrupted, the manifest names a whole old bundle or a whole
new one. Nothing is pickled, and reading never follows a name out of the directory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..arrays import Array
from ..errors import BundleError, StorageError

FORMAT = "deepaveragers"
VERSION = 1
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 4 << 20
DTYPES = frozenset({"|b1", "|u1", "<i4", "<i8", "<f4", "<f8"})
ARRAY_NAME = re.compile(r"[a-z][a-z0-9_.]{0,79}")
OWN_FILE = re.compile(r"[a-z][a-z0-9_.]{0,79}-[0-9a-f]{16}\.(npy|tmp-\d+)|manifest\.tmp-\d+")

Verify = Literal["full", "quick"]


@dataclass(frozen=True)
class Contents:
    """What a bundle holds, free of any meaning.

    Attributes:
        kind: what it is a bundle of.
        settings: plain JSON values.
        arrays: named arrays.
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)


def write_bundle(contents: Contents, path: str | Path) -> Path:
    """Write a bundle at the path, replacing an older bundle there in one step."""
    directory = Path(path)
    _check_target(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        entries = {
            name: _write_array(directory, name, array) for name, array in contents.arrays.items()
        }
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "kind": contents.kind,
            "settings": dict(contents.settings),
            "arrays": entries,
        }
        text = json.dumps(manifest, indent=1, sort_keys=True, allow_nan=False)
        _write_atomically(directory / MANIFEST, text.encode())
        _remove_unnamed(directory, {entry["file"] for entry in entries.values()})
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{directory} cannot be written: {reason}.") from error
    return directory


def read_bundle(path: str | Path, *, verify: Verify = "full") -> Contents:
    """Read a bundle; arrays are memory-mapped.

    Args:
        path: the bundle's directory.
        verify: "full" compares every array with its checksum; "quick" only sizes and types.
    """
    directory = Path(path)
    manifest = read_manifest(directory)
    arrays = {
        name: _read_array(directory, name, entry, verify)
        for name, entry in manifest["arrays"].items()
    }
    return Contents(manifest["kind"], manifest["settings"], arrays)


def read_manifest(directory: Path) -> dict[str, Any]:
    """Return the checked manifest of a bundle."""
    file = directory / MANIFEST
    if not directory.exists():
        raise StorageError(f"{directory} does not exist.")
    if not file.is_file():
        raise BundleError(f"{directory} is not a deepaveragers bundle: it has no {MANIFEST}.")
    try:
        if file.stat().st_size > MAX_MANIFEST_BYTES:
            raise BundleError(f"{file} is damaged: it is larger than any manifest.")
        manifest = json.loads(file.read_bytes())
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{file} is damaged: it is not valid JSON.") from error
    _check_manifest(manifest, directory)
    return manifest


def _check_manifest(manifest: Any, directory: Path) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BundleError(f"{directory} is not a deepaveragers bundle.")
    version = manifest.get("version")
    if isinstance(version, int) and version > VERSION:
        raise BundleError(
            f"{directory} has bundle format {version}, newer than this version reads ({VERSION}). "
            "Update deepaveragers."
        )
    whole = (
        version == VERSION
        and isinstance(manifest.get("kind"), str)
        and isinstance(manifest.get("settings"), dict)
        and isinstance(manifest.get("arrays"), dict)
        and all(_is_entry(name, entry) for name, entry in manifest["arrays"].items())
    )
    if not whole:
        raise BundleError(f"{directory} is damaged: its manifest is incomplete.")


def _is_entry(name: str, entry: Any) -> bool:
    return (
        ARRAY_NAME.fullmatch(name) is not None
        and isinstance(entry, dict)
        and isinstance(entry.get("sha256"), str)
        and re.fullmatch("[0-9a-f]{64}", entry["sha256"]) is not None
        and entry.get("file") == _file_name(name, entry["sha256"])
        and entry.get("dtype") in DTYPES
        and isinstance(entry.get("shape"), list)
        and all(type(length) is int and length >= 0 for length in entry["shape"])
    )


def _file_name(name: str, digest: str) -> str:
    return f"{name}-{digest[:16]}.npy"


def _check_target(directory: Path) -> None:
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise StorageError(f"{directory} cannot be written: it exists and is not a directory.")
    if directory.is_dir() and any(directory.iterdir()):
        try:
            read_manifest(directory)
        except StorageError as error:
            raise StorageError(
                f"{directory} cannot be written: it holds files that are not a bundle. "
                "Choose another path."
            ) from error


def _write_array(directory: Path, name: str, array: Array) -> dict[str, Any]:
    if ARRAY_NAME.fullmatch(name) is None or array.dtype.str not in DTYPES:
        raise ValueError(f"array {name!r} of type {array.dtype} cannot be stored")
    array = np.ascontiguousarray(array)
    digest = _digest(array)
    file = directory / _file_name(name, digest)
    temporary = file.with_suffix(f".tmp-{os.getpid()}")
    with open(temporary, "wb") as stream:
        np.lib.format.write_array(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, file)
    return {
        "file": file.name,
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "sha256": digest,
    }


def _digest(array: Array) -> str:
    return hashlib.sha256(array.reshape(-1).view(np.uint8).data).hexdigest()


def _write_atomically(file: Path, content: bytes) -> None:
    temporary = file.with_suffix(f".tmp-{os.getpid()}")
    with open(temporary, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, file)
    _sync_directory(file.parent)


def _sync_directory(directory: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_unnamed(directory: Path, named: set[str]) -> None:
    for file in directory.iterdir():
        if OWN_FILE.fullmatch(file.name) and file.name not in named and file.is_file():
            file.unlink()


def _read_array(directory: Path, name: str, entry: Mapping[str, Any], verify: Verify) -> Array:
    file = directory / entry["file"]
    if file.is_symlink() or not file.is_file():
        raise BundleError(f"{directory} is damaged: the file of {name!r} is missing.")
    shape = tuple(entry["shape"])
    try:
        array: Array = np.load(file, mmap_mode="r" if 0 not in shape else None, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise BundleError(f"{file} is damaged: it is not a whole array file.") from error
    if array.shape != shape or array.dtype.str != entry["dtype"]:
        raise BundleError(f"{file} is damaged: it is not the array that the manifest describes.")
    if verify == "full" and _digest(np.ascontiguousarray(array)) != entry["sha256"]:
        raise BundleError(f"{file} is damaged: its checksum does not match the manifest.")
    return array
