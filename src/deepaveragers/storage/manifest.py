"""The manifest of a bundle: what is in it, checked against a schema and its own checksum."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import BundleError, StorageError

FORMAT = "deepaveragers"
VERSION = 2
"""The newest that is read; bundles without arrays in parts are written as version 1."""
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 4 << 20
DTYPES = frozenset({"|b1", "|u1", "<i4", "<i8", "<f4", "<f8"})
ARRAY_NAME = re.compile(r"[a-z][a-z0-9_.]{0,79}")
DIGEST = re.compile(r"[0-9a-f]{64}")

Migration = Callable[[dict[str, Any]], dict[str, Any]]
MIGRATIONS: dict[int, Migration] = {1: lambda manifest: manifest}
"""From a version to a function that returns the manifest as the next version writes it."""

REWARDS = {
    "transitions": "rewards",
    "model": "transitions.rewards",
    "plan": "model.transitions.rewards",
}
"""The array with a reward per logged step, by the kind of a bundle."""


def manifest_text(
    kind: str, settings: Mapping[str, Any], arrays: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return the text of a manifest, its checksum included."""
    body = {
        "format": FORMAT,
        "version": 2 if any("parts" in entry for entry in arrays.values()) else 1,
        "kind": kind,
        "settings": dict(settings),
        "arrays": dict(arrays),
    }
    # Through JSON once, so that the checksum is of what a reader will see.
    body = json.loads(json.dumps(body, allow_nan=False))
    return json.dumps({**body, "sha256": checksum(body)}, indent=1, sort_keys=True)


def checksum(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest's content, whatever its layout in the file."""
    content = {key: value for key, value in manifest.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest of a bundle, checked and brought to this version."""
    file = directory / MANIFEST
    if not directory.exists():
        raise StorageError(f"{directory} does not exist.")
    if file.is_symlink() or not file.is_file():
        why = "it is a file" if directory.is_file() else f"it has no {MANIFEST}"
        raise BundleError(
            f"{directory} is not a deepaveragers bundle: {why}. Data of another format become one "
            f"by `dac import {directory} -o data` (in Python: da.read)."
        )
    try:
        with open(file, "rb") as stream:
            content = stream.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from error
    if len(content) > MAX_MANIFEST_BYTES:
        raise BundleError(f"{file} is damaged: it is larger than any manifest.")
    try:
        manifest = json.loads(content)
        whole = isinstance(manifest, dict) and manifest.get("sha256") == checksum(manifest)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{file} is damaged: it is not valid JSON.") from error
    return _checked(manifest, directory, whole)


def _checked(manifest: Any, directory: Path, whole: bool) -> dict[str, Any]:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BundleError(f"{directory} is not a deepaveragers bundle.")
    version = manifest.get("version")
    if type(version) is not int or version < 1:
        raise BundleError(f"{directory} is damaged: its manifest has no version.")
    if version > VERSION:
        raise BundleError(
            f"{directory} has bundle format {version}, newer than this version reads ({VERSION}). "
            "Update deepaveragers."
        )
    if not whole:
        raise BundleError(f"{directory} is damaged: its manifest does not match its checksum.")
    for older in range(version, VERSION):
        manifest = MIGRATIONS[older](manifest)
    fits = (
        isinstance(manifest.get("kind"), str)
        and isinstance(manifest.get("settings"), dict)
        and isinstance(manifest.get("arrays"), dict)
        and all(_is_entry(name, entry) for name, entry in manifest["arrays"].items())
    )
    if not fits:
        raise BundleError(f"{directory} is damaged: its manifest is incomplete.")
    return manifest


def _is_entry(name: str, entry: Any) -> bool:
    return (
        ARRAY_NAME.fullmatch(name) is not None
        and isinstance(entry, dict)
        and isinstance(entry.get("dtype"), str)
        and entry["dtype"] in DTYPES
        and isinstance(entry.get("shape"), list)
        and len(entry["shape"]) <= 32
        and all(type(length) is int and length >= 0 for length in entry["shape"])
        and (_is_file(name, entry) if "parts" not in entry else _are_parts(name, entry))
    )


def _is_file(name: str, entry: Mapping[str, Any]) -> bool:
    return (
        isinstance(entry.get("sha256"), str)
        and DIGEST.fullmatch(entry["sha256"]) is not None
        and entry.get("file") == array_file_name(name, entry["sha256"])
    )


def _are_parts(name: str, entry: Mapping[str, Any]) -> bool:
    """Whether the parts of an array follow each other from its first row to its last."""
    parts, step = entry["parts"], entry.get("part_rows")
    if not isinstance(parts, list) or not entry["shape"] or type(step) is not int or step < 1:
        return False
    size = entry["shape"][0]
    return len(parts) == -(-size // step) and all(
        isinstance(part, dict)
        and part.get("rows") == [number * step, min((number + 1) * step, size)]
        and _is_file(name, part)
        for number, part in enumerate(parts)
    )


def logged_steps(manifest: Mapping[str, Any]) -> int | None:
    """Return how many transitions a bundle has; None where its kind holds none."""
    rewards = manifest["arrays"].get(REWARDS.get(manifest["kind"], ""))
    return None if rewards is None else int(rewards["shape"][0])


def files_of(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return an entry for every file of an array: itself, or one for each part."""
    if "parts" not in entry:
        return [dict(entry)]
    later = entry["shape"][1:]
    return [
        {
            "file": part["file"],
            "dtype": entry["dtype"],
            "shape": [part["rows"][1] - part["rows"][0], *later],
            "sha256": part["sha256"],
        }
        for part in entry["parts"]
    ]


def array_file_name(name: str, digest: str) -> str:
    """Return the file name of an array: its name and the start of its content's digest."""
    return f"{name}-{digest[:16]}.npy"
