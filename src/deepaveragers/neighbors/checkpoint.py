"""Finished blocks of a neighbour search on disk, so that a killed compile goes on.

A directory holds `manifest.json` (what is being searched: a fingerprint of the inputs, the
parameters, and checksums of the order and of itself), `order.npy` (the order in which core
states are visited) and one `.npy` file per finished block, named by action, first position and
checksum:

    blocks/0003-0000065536-1c291ca3.npy     int32 [2, block, K]: rows; distances (float32 bits)

Every file is written beside its name and then moved there, so a kill at any moment leaves
whole files only. A block whose checksum does not fit is searched again; files of other names
are left alone. An order that is damaged is replaced if it is found again, and otherwise the
search begins anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..arrays import HEADER_PROBLEMS, Array, Float32, Int32, Int64
from ..errors import InputError

FORMAT = "deepaveragers neighbour search"
VERSION = 2
BLOCK_NAME = re.compile(r"(\d{4,})-(\d{10,})-([0-9a-f]{8})\.npy")


def fingerprint(*arrays: Array) -> str:
    """Return a digest of shapes, types and contents."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


class Checkpoint:
    """The blocks of one search that are done."""

    def __init__(self, directory: str | os.PathLike[str], asked: Mapping[str, object]) -> None:
        """Open the directory, or begin one; refuse one that belongs to another search."""
        self._path = Path(directory)
        self._asked = {"format": FORMAT, "version": VERSION, **asked}
        self._manifest = self._read_manifest()
        self._blocks: dict[tuple[int, int], Path] = {}
        if self._manifest:
            for file in (self._path / "blocks").glob("*.npy"):
                if name := BLOCK_NAME.fullmatch(file.name):
                    self._blocks[int(name[1]), int(name[2])] = file

    @property
    def chosen(self) -> dict[str, object]:
        """What the earlier run decided (the engine), or nothing if there was none."""
        chosen = self._manifest.get("chosen", {})
        return chosen if isinstance(chosen, dict) else {}

    def begin(self, order: Int64, chosen: Mapping[str, object]) -> Int64:
        """Return the order of the earlier run, or store this one."""
        if self._manifest:
            stored = _read_array(self._path / "order.npy")
            wanted = self._manifest["order"]
            if stored is not None and stored.dtype == np.int64 and _checksum(stored) == wanted:
                return stored
            if _checksum(order) != wanted:
                self._begin_anew()
        (self._path / "blocks").mkdir(parents=True, exist_ok=True)
        _write_array(self._path / "order.npy", order)
        manifest = {**self._asked, "chosen": dict(chosen), "order": _checksum(order)}
        self._manifest = {**manifest, "checksum": _checksum_of(manifest)}
        _write_text(self._path / "manifest.json", json.dumps(self._manifest, indent=2))
        return order

    def _begin_anew(self) -> None:
        """Forget the blocks: without their order nobody knows which states they are of."""
        for file in (self._path / "blocks").glob("*.npy"):
            if BLOCK_NAME.fullmatch(file.name):
                file.unlink()
        self._blocks.clear()
        # Last: as long as it is there, the next run comes here again.
        (self._path / "manifest.json").unlink()

    def load(self, action: int, start: int, shape: tuple[int, int]) -> tuple[Int32, Float32] | None:
        """Return rows and distances of a block, or None if it is not (rightly) there."""
        file = self._blocks.get((action, start))
        if file is None:
            return None
        block = _read_array(file)
        if block is None or block.shape != (2, *shape) or block.dtype != np.int32:
            return None
        if _checksum(block) != _tag(file):
            return None
        return block[0], block[1].view(np.float32)

    def save(self, action: int, start: int, rows: Int32, distances: Float32) -> None:
        """Store a finished block."""
        block = np.stack([rows, distances.view(np.int32)])
        name = f"{action:04d}-{start:010d}-{_checksum(block)}.npy"
        _write_array(self._path / "blocks" / name, block)

    def load_recall(self, action: int) -> float:
        """Return the recall that was measured for an action."""
        file = self._path / "blocks" / f"{action:04d}-recall.json"
        try:
            return float(json.loads(file.read_text()))
        except (OSError, ValueError, TypeError):
            raise InputError(
                "resume_dir",
                "whole",
                f"{self._path}, where {file.name} is missing or damaged",
                "Remove the directory to begin again.",
            ) from None

    def save_recall(self, action: int, recall: float) -> None:
        """Store the recall that was measured for an action."""
        _write_text(self._path / "blocks" / f"{action:04d}-recall.json", json.dumps(recall))

    def _read_manifest(self) -> dict[str, object]:
        file = self._path / "manifest.json"
        if not file.exists():
            self._refuse_foreign_files()
            return {}
        try:
            stored = json.loads(file.read_bytes())
        except (ValueError, RecursionError):
            stored = None
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise InputError("resume_dir", "a directory of an earlier search", self._path)
        content = {name: value for name, value in stored.items() if name != "checksum"}
        if stored.get("version") == VERSION and stored.get("checksum") != _checksum_of(content):
            raise InputError(
                "resume_dir",
                "whole",
                f"{self._path} with a damaged manifest.json",
                "Remove the directory to begin again.",
            )
        for name, wanted in self._asked.items():
            if stored.get(name) != wanted:
                raise InputError(
                    "resume_dir",
                    f"from a search with the same data and parameters ({name} {wanted})",
                    f"{self._path} with {name} {stored.get(name)}",
                    "Give another directory, or remove this one to begin again.",
                )
        return stored

    def _refuse_foreign_files(self) -> None:
        if self._path.exists() and not self._path.is_dir():
            raise InputError("resume_dir", "a directory", self._path)
        names = {file.name for file in self._path.iterdir()} if self._path.exists() else set()
        foreign = names - {"blocks", "order.npy", "order.npy.part", "manifest.json.part"}
        if foreign:
            raise InputError(
                "resume_dir",
                "a new, an empty, or an earlier search's directory",
                f"{self._path} with {min(foreign)} in it",
                "Give another directory.",
            )


def _checksum(array: Array) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(array).data):08x}"


def _checksum_of(manifest: Mapping[str, object]) -> str:
    return f"{zlib.crc32(json.dumps(manifest, sort_keys=True).encode()):08x}"


def _read_array(file: Path) -> Array | None:
    """Return an array, or None if the file is not a whole one."""
    try:
        # Mapped, so that nothing is allocated on the word of a damaged header.
        array = np.lib.format.open_memmap(file, mode="r")
    except (OSError, *HEADER_PROBLEMS):
        return None
    return np.array(array)


def _tag(file: Path) -> str:
    return file.stem.split("-")[2]


def _write_text(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    os.replace(part, path)


def _write_array(path: Path, array: Array) -> None:
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        np.save(file, array, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
