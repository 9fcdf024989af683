"""One verb for all formats."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Literal

from ..arguments import check_takes, choice, flag
from ..errors import DataWarning, InputError
from .mapping import TableMapping, read_mapping
from .readers.detecting import FORMATS, detect
from .readers.report import ActionMap, Reading
from .tables.sources import located
from .transitions import Transitions

Format = Literal["auto", "table", "npz", "minari", "d4rl", "d3rlpy", "replay-buffer", "lerobot"]


def read(
    source: Any,
    format: Format = "auto",
    *,
    actions: ActionMap | None = None,
    mapping: str | os.PathLike[str] | TableMapping | None = None,
    **columns: Any,
) -> Transitions:
    """Return the transitions of a file, directory, id or object.

    Args:
        source: a path (CSV, Excel, Parquet, Arrow, SQLite, DuckDB, zip, npz, HDF5 of D4RL or
            d3rlpy, a Minari or LeRobot directory), a pattern or list of paths, a Minari id,
            the URL of a database; or an object in memory: a DataFrame or what gives one, a
            connection to a database, a Minari dataset, a d3rlpy dataset, a Stable-Baselines3
            replay buffer.
        format: "auto" decides by what is there; or the name of a format.
        actions: a function from logged actions [N, ...] to N whole numbers or labels; None keeps
            rows of numbers as they are.
        mapping: the meaning of a table's columns: a `TableMapping` or a TOML file.
        columns: the same as keywords, which have the last word: `episode="run", ...`.
    """
    reading = read_reported(source, format, actions=actions, mapping=mapping, **columns)
    for sentence in reading.warnings:
        warnings.warn(f"{sentence}.", DataWarning, stacklevel=2)
    return reading.transitions


def read_reported(
    source: Any,
    format: Format = "auto",
    *,
    actions: ActionMap | None = None,
    mapping: str | os.PathLike[str] | TableMapping | None = None,
    drop_missing: bool = False,
    **columns: Any,
) -> Reading:
    """Return the transitions together with what was decided: format, reason and notes.

    Args:
        source: as in `read`, and so are the next four.
        format: "auto" decides by what is there; or the name of a format.
        actions: a function from logged actions to whole numbers or labels.
        mapping: the meaning of a table's columns.
        columns: the same as keywords.
        drop_missing: leave out the steps of a table that have missing values, unless its
            mapping says what to do with them.
    """
    chosen = choice("format", format, ("auto", *FORMATS))
    drop_missing = flag("drop_missing", drop_missing)
    if actions is not None:
        check_takes("actions", actions, "actions")
    source = located(source)
    reason = "as asked"
    if chosen == "auto":
        chosen, reason = detect(source)
    if chosen == "table":
        reading = _table(source, actions, mapping, columns, drop_missing)
    elif mapping is not None or columns:
        given = "a mapping" if mapping is not None else next(iter(columns))
        raise InputError("columns", f"given for tables only, not for {chosen}", given)
    else:
        reading = _dataset(source, chosen, actions)
    return reading.explained(reason)


def _table(
    source: Any,
    actions: ActionMap | None,
    mapping: str | os.PathLike[str] | TableMapping | None,
    columns: dict[str, Any],
    drop_missing: bool,
) -> Reading:
    from .readers.parquet import read_own
    from .readers.table import read_table
    from .tables.sources import is_arrow_path

    if actions is not None:
        raise InputError("actions", "given for datasets only, not for tables", "a function")
    if isinstance(mapping, TableMapping):
        if columns:
            raise InputError("mapping", "a TableMapping or columns as keywords", "both")
        return read_table(source, mapping)
    if mapping is None and not columns and is_arrow_path(source):
        own = read_own(source)
        if own is not None:
            return Reading(own, "table", notes=("it names its own columns",))
    stored: dict[str, Any] = {"missing": "drop"} if drop_missing else {}
    stored |= read_mapping(mapping) if mapping is not None else {}
    return read_table(source, TableMapping.of({**stored, **columns}))


def _dataset(source: Any, format: str, actions: ActionMap | None) -> Reading:
    in_memory = not isinstance(source, Path)
    if format == "minari":
        from .readers.minari import from_minari, read_minari

        return from_minari(source, actions) if in_memory else read_minari(source, actions)
    if format == "d3rlpy":
        from .readers.d3rlpy import from_dataset, read_d3rlpy

        return from_dataset(source, actions) if in_memory else read_d3rlpy(source, actions)
    if format == "replay-buffer":
        from .readers.replay_buffer import from_replay_buffer

        if not in_memory:
            raise InputError(
                "source",
                "the replay buffer as an object: its files are pickles, which are never opened",
                f"the path {source}",
            )
        return from_replay_buffer(source, actions)
    if in_memory:
        raise InputError("source", f"a path for the format {format}", type(source).__name__)
    if format == "npz":
        from .readers.npz import read_npz

        return read_npz(source, actions)
    if format == "d4rl":
        from .readers.d4rl import read_d4rl

        return read_d4rl(source, actions)
    from .readers.lerobot import read_lerobot

    return read_lerobot(source, actions)
