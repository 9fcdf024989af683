"""NumPy archives: one array per field of `Transitions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..transitions import Transitions
from .files import write_file

FIELDS = (
    "observations",
    "actions",
    "rewards",
    "next_observations",
    "terminations",
    "truncations",
    "episode_ids",
)


def write_npz(data: Transitions, path: Path) -> None:
    """Write the transitions as a compressed NumPy archive."""
    arrays: dict[str, Any] = {field: np.asarray(getattr(data, field)) for field in FIELDS}
    names = np.array(data.action_names, dtype=str)
    write_file(path, lambda stream: np.savez_compressed(stream, action_names=names, **arrays))
