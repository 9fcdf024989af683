"""Which format is it? A decision, and the reason for it in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InputError, StorageError
from ..tables.sources import is_table
from .hdf5 import open_hdf5
from .minari import data_directory

FORMATS = ("table", "npz", "minari", "d4rl", "d3rlpy", "replay-buffer", "lerobot")


def detect(source: Any) -> tuple[str, str]:
    """Return the format of a located source, and why it was taken for that."""
    if isinstance(source, Path):
        return _of_path(source)
    if hasattr(source, "iterate_episodes") and hasattr(source, "action_space"):
        return "minari", "the object iterates over episodes and knows its action space"
    if all(hasattr(source, name) for name in ("dones", "pos", "full", "n_envs")):
        return "replay-buffer", "the object has dones, pos, full and n_envs"
    if hasattr(source, "episodes") and hasattr(source, "transition_count"):
        return "d3rlpy", "the object has episodes and a transition_count"
    reason = is_table(source)
    if reason is not None:
        return "table", reason
    raise InputError(
        "source",
        "a path, a table, a database, or a dataset of minari, d3rlpy or Stable-Baselines3",
        f"an object of type {type(source).__name__}",
    )


def _of_path(path: Path) -> tuple[str, str]:
    if path.is_dir():
        return _of_directory(path)
    if not path.exists():
        if path.suffix == "" and "/" in path.as_posix() and not path.is_absolute():
            return "minari", "there is no such file, and it reads like a Minari id"
        raise StorageError(f"{path} does not exist.")
    reason = is_table(path)
    if reason is not None:
        return "table", reason
    with open(path, "rb") as file:
        head = file.read(8)
    if head == b"\x89HDF\r\n\x1a\n":
        return _of_hdf5(path)
    if head[:4] == b"PK\x03\x04":
        return "npz", "it is a zip archive"
    if head[:1] == b"\x80":
        raise InputError(
            str(path),
            "a data file",
            "a pickle, which can run any code when opened",
            "Load it yourself if you trust it, and hand over the object.",
        )
    raise InputError(
        str(path),
        f"of a known format: {', '.join(FORMATS)}",
        f"a file that starts with {head!r}",
        "Name the format.",
    )


def _of_directory(path: Path) -> tuple[str, str]:
    if data_directory(path) is not None:
        return "minari", "the directory has a Minari metadata.json"
    if (path / "meta" / "info.json").is_file() and (path / "data").is_dir():
        return "lerobot", "the directory has meta/info.json and data/"
    if (path / "manifest.json").is_file():
        raise InputError(
            str(path),
            "data of another format",
            "a bundle of this package",
            "Use it as it is, or load it with da.load.",
        )
    raise InputError(
        str(path), "a Minari or LeRobot directory", "a directory with neither's metadata"
    )


def _of_hdf5(path: Path) -> tuple[str, str]:
    with open_hdf5(path) as file:
        names = set(file)
    if "columns" in names and "num_episodes" in names:
        return "d3rlpy", "it is HDF5 with d3rlpy's columns and num_episodes"
    if "episode_terminals" in names:
        return "d3rlpy", "it is HDF5 with d3rlpy's episode_terminals"
    return "d4rl", "it is HDF5 with flat arrays, as D4RL writes it"
