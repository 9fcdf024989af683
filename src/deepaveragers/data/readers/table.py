"""Tables of logged steps: CSV, Parquet and Arrow files, DataFrames, dictionaries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...arguments import file_path, instance
from ...arrays import Array
from ...errors import InputError, StorageError
from ..mapping import TableMapping
from ..observations import rows_at_once
from ..scratch import converted, taken
from ..steps import Steps, link_steps
from ..transitions import Transitions
from .columns import Columns, Table, gathered
from .csv_file import CsvFile
from .frames import Frame
from .parquet import ParquetFiles
from .reading import Reading
from .rows import Quality, ordered, quality

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
ARROW_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather")
ROLES = {
    "episode": ("episode", "trajectory"),
    "time": ("time", "step"),
    "done": ("done", "terminal", "terminated"),
    "truncated": ("truncated", "timeout"),
}
"""How columns that have a role of their own are often named."""


def read_table(source: Any, mapping: TableMapping | None = None, **fields: Any) -> Transitions:
    """Return the transitions of a table with one row a step.

    The next observation of a step is the observation of its episode's next row. What
    happens at the end of an episode is told in `deepaveragers.data.steps`: a terminated
    last row is kept, any other last row is left out, for its next observation is unknown.

    Args:
        source: a path to a CSV, Parquet or Arrow file, a pandas or polars DataFrame, an
            Arrow table, or a dictionary of columns.
        mapping: the meaning of the columns; or give its fields as keywords:
            `read_table("log.csv", episode="run", time="t", observations=["x", "v"],
            action="a", reward="r", terminated="end")`.
        fields: fields of `TableMapping`.
    """
    if mapping is not None and fields:
        raise InputError("mapping", "a TableMapping or its fields as keywords", "both")
    if mapping is None:
        return table_reading(source, TableMapping.of(fields)).transitions
    return table_reading(
        source, instance("mapping", mapping, TableMapping, "a TableMapping, or None")
    ).transitions


def table_reading(source: Any, mapping: TableMapping) -> Reading:
    """Return the transitions of a table and what was decided while reading it."""
    table = open_table(source, mapping.delimiter)
    columns = gathered(table, mapping)
    notes = [*table.notes, *columns.notes]
    if mapping.observations is None:
        notes.append(f"observations are the columns {', '.join(columns.observation_names)}")
        notes.extend(_overlooked(columns.observation_names, mapping))
    rows, ordering = ordered(columns, mapping, table)
    picked = columns.picked(rows)
    judged = quality(picked, rows, mapping, table)
    notes.extend([*ordering, *judged.notes])
    if picked.next_observations is not None:
        data = _as_given(picked, picked.next_observations, judged)
    else:
        data, linking = link_steps(_steps(picked, judged), picked.action_names)
        notes.extend(linking)
    if mapping.done is not None and mapping.truncated is None:
        notes.append(
            f"{mapping.done!r} was read as terminated; where it also marks time limits, say "
            "which column tells them apart (truncated)"
        )
    return Reading(data, "table", notes=tuple(notes))


def _overlooked(names: tuple[str, ...], mapping: TableMapping) -> Iterator[str]:
    """Yield a note on each column that is an observation by default, but is named like a role."""
    for role, words in ROLES.items():
        given = getattr(mapping, role) is not None or (role == "done" and mapping.terminated)
        for name in () if given else names:
            if name.lower().startswith(words):
                yield f"column {name!r} is taken for an observation: if it is the {role}, say so"


def open_table(source: Any, delimiter: str | None = None) -> Table:
    """Return the table at a path or in memory."""
    if not isinstance(source, str | os.PathLike):
        if Frame.fits(source):
            return Frame(source)
        raise InputError("source", "a path, a DataFrame or columns", type(source).__name__)
    path = file_path("source", source)
    if not path.is_file():
        raise StorageError(f"{path} cannot be read: it is not a file.")
    return ParquetFiles(path) if is_arrow_path(path) else CsvFile(path, delimiter)


def is_arrow_path(source: Any) -> bool:
    """Whether the source is a `Path` whose name ends like a Parquet or Arrow file."""
    return isinstance(source, Path) and source.name.lower().endswith(ARROW_SUFFIXES)


def _steps(columns: Columns, judged: Quality) -> Steps:
    return Steps(
        observations=columns.observations,
        actions=columns.actions,
        rewards=columns.rewards,
        terminations=columns.terminations == 1,
        truncations=columns.truncations == 1,
        episodes=columns.episodes,
        acted=judged.acted,
        usable=judged.usable,
        skipped=judged.skipped,
    )


def _as_given(columns: Columns, following: Array, judged: Quality) -> Transitions:
    kept = judged.acted & judged.usable & ~judged.skipped
    if not kept.any():
        raise InputError("source", "a table with at least one whole step", "none")
    # Only a terminated step may lack its next observation, and there it has no influence.
    step = rows_at_once(following)
    filled = following
    for start in range(0, len(following), step):
        part = slice(start, start + step)
        whole = np.isfinite(following[part]).all(axis=1)
        if not whole.all():
            filled = converted(following, following.dtype) if filled is following else filled
            filled[part][~whole] = columns.observations[part][~whole]
    fields: dict[str, Any] = {
        "observations": columns.observations,
        "actions": columns.actions,
        "rewards": columns.rewards,
        "next_observations": filled,
        "terminations": columns.terminations == 1,
        "truncations": columns.truncations == 1,
        "episode_ids": columns.episodes,
    }
    picked = {
        name: values if kept.all() else taken(values, kept) for name, values in fields.items()
    }
    return Transitions(**picked, action_names=columns.action_names)  # type: ignore[arg-type]
