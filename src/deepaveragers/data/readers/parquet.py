"""Parquet files that our writer made; needs pyarrow."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..scratch import Growing
from ..tables.parquet import batches, schema_of
from ..transitions import Transitions

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


def is_own(path: Path) -> bool:
    """Whether a Parquet file was made by our writer."""
    return OWN_METADATA in (schema_of(path).metadata or {})


def read_own(path: Path) -> Transitions | None:
    """Return the transitions of a Parquet file that our writer made; None for any other."""
    stored = dict(schema_of(path).metadata or {}).get(OWN_METADATA)
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
        names["action_bounds"] = own.get("action_bounds")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(str(path), "a whole dataset", "one with broken metadata") from error
    there = schema_of(path).names
    optional = [name for name in (*OWN_OPTIONAL, EPISODE_NAME) if name in there]
    parts: dict[str, Growing] = {}
    episodes: dict[int, str] = {}
    for chunk in batches(path, [*OWN_COLUMNS, *optional]):
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
