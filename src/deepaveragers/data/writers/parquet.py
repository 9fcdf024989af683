"""Parquet: one row a transition, readable by any tool and back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...errors import MissingExtraError
from ..episodes import distinct_ids
from ..observations import rows_at_once
from ..readers.parquet import EPISODE_NAME, OWN_COLUMNS, OWN_METADATA, OWN_OPTIONAL
from ..transitions import Transitions
from .files import write_file


def write_parquet(data: Transitions, path: Path) -> None:
    """Write the transitions as a Parquet file, with the names of the actions beside them."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow, which writes Parquet files,", "data") from error
    width = int(np.prod(data.observation_shape))
    vector = pa.list_(pa.from_numpy_dtype(data.observations.dtype), width)
    kinds = {
        "observation": vector,
        "next_observation": vector,
        "action": _action_kind(data),
        "reward": pa.float64(),
        "terminated": pa.bool_(),
        "truncated": pa.bool_(),
        "episode": pa.int64(),
    }
    if not data.action_vectors:
        kinds["action_name"] = pa.dictionary(pa.int32(), pa.string())
    if data.times is not None:
        kinds["time"] = pa.from_numpy_dtype(data.times.dtype)
    if data.propensities is not None:
        kinds["propensity"] = pa.float64()
    if data.episode_names is not None:
        kinds[EPISODE_NAME] = pa.dictionary(pa.int32(), pa.string())
    own = {
        "action_names": data.action_names,
        "action_bounds": None if data.action_bounds is None else data.action_bounds.tolist(),
        "observation_names": data.observation_names,
        "observation_units": data.observation_units,
        "observation_shape": data.observation_shape,
    }
    schema = pa.schema(list(kinds.items()), metadata={OWN_METADATA: json.dumps(own)})

    def write(stream: BinaryIO) -> None:
        with pq.ParquetWriter(stream, schema) as writer:
            for batch in _batches(data, schema):
                writer.write_batch(batch)

    write_file(path, write)


def _action_kind(data: Transitions) -> Any:
    import pyarrow as pa

    if not data.action_vectors:
        return pa.int32()
    return pa.list_(pa.from_numpy_dtype(data.actions.dtype), data.actions.shape[1])


def _batches(data: Transitions, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    own = {name: field for name, field in OWN_OPTIONAL.items() if name in schema.names}
    distinct = distinct_ids(data.episode_ids)
    step = rows_at_once(data.observations)
    for start in range(0, len(data), step):
        rows = slice(start, start + step)
        columns: dict[str, Any] = {}
        for name, field in (OWN_COLUMNS | own).items():
            values = getattr(data, field)[rows]
            kind = schema.field(name).type
            if pa.types.is_fixed_size_list(kind):
                flat = pa.array(np.ascontiguousarray(values).reshape(-1), kind.value_type)
                columns[name] = pa.FixedSizeListArray.from_arrays(flat, type=kind)
            else:
                columns[name] = pa.array(values, kind)
        if not data.action_vectors:
            columns["action_name"] = pa.DictionaryArray.from_arrays(
                columns["action"], pa.array(data.action_names, pa.string())
            )
        if data.episode_names is not None:
            places = np.searchsorted(distinct, data.episode_ids[rows]).astype(np.int32)
            columns[EPISODE_NAME] = pa.DictionaryArray.from_arrays(
                pa.array(places), pa.array(data.episode_names, pa.string())
            )
        yield pa.record_batch([columns[name] for name in schema.names], schema=schema)
