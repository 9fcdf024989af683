"""NumPy archives: one array per field of `Transitions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..transitions import COLUMNS, NAMES, OPTIONAL_COLUMNS, Transitions
from .files import write_file

FIELDS = ("observations", "next_observations", *COLUMNS)


def write_npz(data: Transitions, path: Path) -> None:
    """Write the transitions as a compressed NumPy archive."""
    arrays: dict[str, Any] = {field: np.asarray(getattr(data, field)) for field in FIELDS}
    for field in (*OPTIONAL_COLUMNS, *NAMES, "action_bounds"):
        if getattr(data, field) is not None:
            arrays[field] = np.array(getattr(data, field))
    write_file(path, lambda stream: np.savez_compressed(stream, **arrays))
