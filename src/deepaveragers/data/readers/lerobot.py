"""LeRobot datasets (v3 and v2): Parquet files below data/, one row a frame.

Columns: observation.* (numbers or lists of them; videos are not read), action, next.reward,
next.done, next.truncated or next.terminated where known, episode_index, frame_index.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ..steps import Steps, link_steps
from .cells import as_flags, as_numbers
from .flat import mapped_actions
from .parquet import ParquetFiles
from .reading import ActionMap, Reading


def read_lerobot(directory: Path, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a LeRobot dataset's directory."""
    files = sorted((directory / "data").rglob("*.parquet"))
    if not files:
        raise InputError(str(directory), "a LeRobot dataset with data/**/*.parquet", "none")
    table = ParquetFiles(*files)
    observed = [name for name in table.names if name.startswith("observation.")]
    for needed in ("action", "next.reward", "episode_index", "frame_index"):
        if needed not in table.names:
            raise InputError(
                str(directory),
                f"a LeRobot dataset with the column {needed}",
                f"columns {', '.join(table.names)}",
                "Rewards can be added as a column of the Parquet files."
                if needed == "next.reward"
                else "",
            )
    if not observed:
        raise InputError(str(directory), "a dataset with observation.* columns", "none")
    flags = [name for name in ("next.done", "next.truncated", "next.terminated")]
    flags = [name for name in flags if name in table.names]
    wanted = [*observed, "action", "next.reward", "episode_index", "frame_index", *flags]
    parts: dict[str, list[Array]] = {name: [] for name in wanted}
    start = 0
    for chunk in table.chunks(wanted):
        for name in wanted:

            def where(row: int, name: str = name, start: int = start) -> str:
                return f"column {name!r} at row {start + row}"

            convert = as_flags if name in flags else as_numbers
            parts[name].append(convert(chunk[name], where))
        start += len(chunk["action"])
    joined = {name: np.concatenate(parts.pop(name)) for name in wanted}
    order = np.lexsort((joined["frame_index"], joined["episode_index"]))
    terminations, truncations = _ends(joined, flags)
    columns = [joined[name].reshape(start, -1)[order] for name in observed]
    steps = Steps(
        observations=np.concatenate(columns, axis=1),
        actions=mapped_actions(joined["action"][order], actions),
        rewards=joined["next.reward"].reshape(start)[order],
        terminations=terminations[order],
        truncations=truncations[order],
        episodes=joined["episode_index"][order].astype(np.int64),
    )
    data, notes = link_steps(steps)
    return Reading(data, "lerobot", notes=(f"observations are {', '.join(observed)}", *notes))


def _ends(joined: dict[str, Array], flags: list[str]) -> tuple[Array, Array]:
    none = np.zeros(len(joined["episode_index"]), dtype=bool)
    truncated = joined["next.truncated"] == 1 if "next.truncated" in flags else none
    if "next.terminated" in flags:
        return joined["next.terminated"] == 1, truncated
    done = joined["next.done"] == 1 if "next.done" in flags else none
    return done & ~truncated, truncated
