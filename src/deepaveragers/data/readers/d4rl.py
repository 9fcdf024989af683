"""D4RL files: flat HDF5 with observations, actions, rewards, terminals and often timeouts.

Some files have `next_observations`; where they do not, the next row's observation is s',
and the last step before a timeout is left out, for its next observation is unknown.
"""

from __future__ import annotations

from pathlib import Path

from .flat import flat_reading, names_by_field
from .hdf5 import open_hdf5, values
from .report import ActionMap, Reading


def read_d4rl(path: Path, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a D4RL file."""
    with open_hdf5(path) as file:
        arrays = {name: values(file, name) for name in names_by_field(file).values()}
        return flat_reading(arrays, "d4rl", str(path), actions)
