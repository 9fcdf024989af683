"""Parquet and Arrow files as chunks of columns; needs pyarrow."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError, MissingExtraError
from ..scratch import Growing
from ..transitions import Transitions

CHUNK_CELLS = 1 << 18
MOST_ROWS = 65_536
BUFFER = 1 << 20
OWN_METADATA = b"deepaveragers"
OWN_COLUMNS = {
    "observation": "observations",
    "action": "actions",
    "reward": "rewards",
    "next_observation": "next_observations",
    "terminated": "terminations",
    "truncated": "truncations",
    "episode": "episode_ids",
}
"""The columns that our writer makes, and the fields they hold."""
OWN_OPTIONAL = {"time": "times", "propensity": "propensities"}
"""Those that it makes where the data have them; also `EPISODE_NAME`."""
EPISODE_NAME = "episode_name"


class ParquetFiles:
    """One or several Parquet or Arrow files with the same columns, read one after another.

    Attributes:
        names: the columns, in order.
        notes: nothing to report.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self.names = tuple(_opened(paths[0], lambda schema: list(schema.names)))
        if len(set(self.names)) != len(self.names):
            raise InputError(str(paths[0]), "a table with distinct column names", list(self.names))

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""
        for path in self._paths:
            yield from _batches(path, names)

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"row {row}"


def read_own(path: Path) -> Transitions | None:
    """Return the transitions of a Parquet file that our writer made; None for any other."""
    stored = _opened(path, lambda schema: dict(schema.metadata or {})).get(OWN_METADATA)
    if stored is None:
        return None
    try:
        own = json.loads(stored)
        shape = tuple(int(length) for length in own["observation_shape"])
        names: dict[str, Any] = {
            field: tuple(str(name) for name in own[field])
            for field in ("action_names", "observation_names", "observation_units")
            if own.get(field) is not None
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(str(path), "a whole dataset", "one with broken metadata") from error
    there = _opened(path, lambda schema: list(schema.names))
    optional = [name for name in (*OWN_OPTIONAL, EPISODE_NAME) if name in there]
    parts: dict[str, Growing] = {}
    episodes: dict[int, str] = {}
    for chunk in _batches(path, [*OWN_COLUMNS, *optional]):
        if EPISODE_NAME in chunk:
            ids = chunk["episode"].tolist()
            episodes.update(zip(ids, chunk.pop(EPISODE_NAME).tolist(), strict=True))
        for name, values in chunk.items():
            parts.setdefault(name, Growing()).append(values)
    if not parts:
        raise InputError(str(path), "a dataset with transitions", "an empty one")
    columns: dict[str, Any] = {
        field: parts.pop(name).whole()
        for name, field in (OWN_COLUMNS | OWN_OPTIONAL).items()
        if name in parts
    }
    for field in ("observations", "next_observations"):
        if columns[field].size != len(columns[field]) * math.prod(shape):
            raise InputError(str(path), f"of observations of shape {shape}", "other sizes")
        columns[field] = columns[field].reshape(-1, *shape)
    return Transitions(**columns, **names, episode_names=episodes or None)  # type: ignore[arg-type]


def _batches(path: Path, names: Iterable[str]) -> Iterator[dict[str, Array]]:
    import pyarrow as pa

    try:
        for batch in _batch_reader(path, names):
            yield {name: _as_array(batch.column(name)) for name in names}
    except (pa.ArrowException, OSError, KeyError) as error:
        raise InputError(str(path), "a whole Parquet or Arrow file", _first_line(error)) from error


def _opened(path: Path, ask: Any) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow, which reads Parquet files,", "data") from error
    try:
        if _is_arrow(path):
            with pa.memory_map(str(path)) as file:
                return ask(pa.ipc.open_file(file).schema)
        return ask(pq.read_schema(path))
    except (pa.ArrowException, OSError) as error:
        raise InputError(str(path), "a whole Parquet or Arrow file", _first_line(error)) from error


def _batch_reader(path: Path, names: Iterable[str]) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if _is_arrow(path):
        with pa.memory_map(str(path)) as file:
            reader = pa.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)
    else:
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as parquet:
            rows = _rows_at_once(parquet.schema_arrow, names)
            yield from parquet.iter_batches(batch_size=rows, columns=list(names))


def _rows_at_once(schema: Any, names: Iterable[str]) -> int:
    widths = (getattr(schema.field(name).type, "list_size", 1) for name in names)
    return max(1, min(MOST_ROWS, CHUNK_CELLS // max(1, sum(widths))))


def _is_arrow(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(6) == b"ARROW1"


def _as_array(column: Any) -> Array:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_fixed_size_list(kind) and column.null_count == 0:
        return np.asarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(len(column), -1)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
