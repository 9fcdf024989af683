"""One verb for all formats that transitions are written to."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal, get_args

from ..arguments import choice, file_path, instance
from ..errors import InputError, StorageError
from .transitions import Transitions

WriteFormat = Literal["auto", "npz", "parquet", "minari"]


def write(data: Transitions, path: str | os.PathLike[str], format: WriteFormat = "auto") -> Path:
    """Write transitions for other tools, without loss, and return the path.

    `save` keeps them for this package; `read` brings back what is written here, value by
    value.

    Args:
        data: the transitions.
        path: a file, or for Minari a new directory with a name like "walks-v0".
        format: "auto" goes by the name: .npz, .parquet, or -v0 and such for Minari.
    """
    instance("data", data, Transitions, "Transitions")
    path = file_path("path", path)
    asked = choice("format", format, get_args(WriteFormat))
    chosen = _by_name(path) if asked == "auto" else asked
    if path.is_dir() and chosen != "minari":
        raise StorageError(f"{path} cannot be written: it is a directory.")
    if chosen == "npz":
        from .writers.npz import write_npz

        write_npz(data, path)
    elif chosen == "parquet":
        from .writers.parquet import write_parquet

        write_parquet(data, path)
    else:
        from .writers.minari import write_minari

        write_minari(data, path)
    return path


def _by_name(path: Path) -> str:
    if path.suffix == ".npz":
        return "npz"
    if path.suffix in (".parquet", ".pq"):
        return "parquet"
    if re.search(r"-v\d+$", path.name):
        return "minari"
    raise InputError(
        "path", "a name that ends in .npz or .parquet, or is like 'walks-v0' for Minari", str(path)
    )
