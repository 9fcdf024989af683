"""Weights in one file: safetensors, with what they belong to as JSON in its header.

Nothing is pickled. A file is written under another name first and then renamed, so it is
whole or absent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import BundleError, MissingExtraError, StorageError

ABOUT = "deepaveragers"
"""The key of the header under which the JSON stands."""


def write_weights(path: str | Path, arrays: Mapping[str, Array], about: dict[str, Any]) -> Path:
    """Write named arrays, and a description as plain JSON values."""
    try:
        from safetensors.numpy import save
    except ImportError as error:
        raise MissingExtraError("safetensors", "deep") from error
    file = Path(path)
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content = save(whole, metadata={ABOUT: json.dumps(about)})
    temporary = file.with_name(f"{file.name}.tmp-{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}.") from error
    return file


def read_weights(path: str | Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return what `write_weights` wrote."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise MissingExtraError("safetensors", "deep") from error
    file = Path(path)
    if not file.is_file():
        raise StorageError(f"{file} does not exist.")
    try:
        with safe_open(file, framework="numpy") as opened:
            about = json.loads((opened.metadata() or {})[ABOUT])
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except KeyError as error:
        raise BundleError(f"{file} holds weights that are not from deepaveragers.") from error
    except (SafetensorError, ValueError) as error:
        raise BundleError(f"{file} is damaged: it is not a whole safetensors file.") from error
    return arrays, about
