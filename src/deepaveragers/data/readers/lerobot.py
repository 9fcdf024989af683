"""LeRobot datasets (v3 and v2): Parquet files below data/, one row a frame.

Columns: observation.* (numbers or lists of them; videos are not read), action, next.reward,
next.done, next.truncated or next.terminated where known, episode_index, frame_index.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ..scratch import Growing, copied, room
from ..steps import Steps, link_steps
from ..tables.cells import as_flags
from ..tables.numbers import as_numbers
from ..tables.parquet import ParquetFiles
from .flat import mapped_actions
from .report import ActionMap, Reading

NEEDED = ("action", "next.reward", "episode_index", "frame_index")
FLAGS = ("next.done", "next.truncated", "next.terminated")


def read_lerobot(directory: Path, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a LeRobot dataset's directory."""
    files = sorted((directory / "data").rglob("*.parquet"))
    if not files:
        raise InputError(str(directory), "a LeRobot dataset with data/**/*.parquet", "none")
    table = ParquetFiles(*files)
    observed = [name for name in table.names if name.startswith("observation.")]
    for needed in NEEDED:
        if needed not in table.names:
            raise InputError(
                str(directory),
                f"a LeRobot dataset with the column {needed}",
                f"columns {', '.join(table.names)}",
            )
    if not observed:
        raise InputError(str(directory), "a dataset with observation.* columns", "none")
    flags = [name for name in FLAGS if name in table.names]
    joined = _joined(table, [*observed, *NEEDED], flags)
    size = len(joined["episode_index"])
    order = np.lexsort((joined["frame_index"], joined["episode_index"]))
    terminations, truncations = _ends(joined, flags)
    columns = [joined.pop(name).reshape(size, -1) for name in observed]
    observations = room((size, sum(one.shape[1] for one in columns)), np.result_type(*columns))
    first = 0
    for column in columns:
        copied(column, observations[:, first : first + column.shape[1]], order)
        first += column.shape[1]
    steps = Steps(
        observations=observations,
        actions=mapped_actions(joined["action"][order], actions),
        rewards=joined["next.reward"].reshape(size)[order],
        terminations=terminations[order],
        truncations=truncations[order],
        episodes=joined["episode_index"][order].astype(np.int64),
    )
    data, notes = link_steps(steps)
    return Reading(data, "lerobot", notes=(f"observations are {', '.join(observed)}", *notes))


def _joined(table: ParquetFiles, numbers: list[str], flags: list[str]) -> dict[str, Array]:
    parts = {name: Growing() for name in (*numbers, *flags)}
    start = 0
    for chunk in table.chunks(list(parts)):
        for name, cells in chunk.items():

            def where(row: int, name: str = name, start: int = start) -> str:
                return f"column {name!r} at row {start + row}"

            convert = as_flags if name in flags else as_numbers
            parts[name].append(convert(cells, where))
        start += len(chunk["action"])
    return {name: parts.pop(name).whole() for name in list(parts)}


def _ends(joined: dict[str, Array], flags: list[str]) -> tuple[Array, Array]:
    none = np.zeros(len(joined["episode_index"]), dtype=bool)
    truncated = joined["next.truncated"] == 1 if "next.truncated" in flags else none
    if "next.terminated" in flags:
        return joined["next.terminated"] == 1, truncated
    done = joined["next.done"] == 1 if "next.done" in flags else none
    return done & ~truncated, truncated
