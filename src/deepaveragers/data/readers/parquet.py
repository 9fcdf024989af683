"""Parquet files that our writer made; needs pyarrow."""

from __future__ import annotations

import json
import math
from pathlib import Path

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


def read_own(path: Path) -> Transitions | None:
    """Return the transitions of a Parquet file that our writer made; None for any other."""
    stored = dict(schema_of(path).metadata or {}).get(OWN_METADATA)
    if stored is None:
        return None
    try:
        own = json.loads(stored)
        shape = tuple(int(length) for length in own["observation_shape"])
        names = tuple(str(name) for name in own["action_names"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(str(path), "a whole dataset", "one with broken metadata") from error
    parts: dict[str, Growing] = {}
    for chunk in batches(path, OWN_COLUMNS):
        for name, values in chunk.items():
            parts.setdefault(name, Growing()).append(values)
    if not parts:
        raise InputError(str(path), "a dataset with transitions", "an empty one")
    columns = {field: parts.pop(name).whole() for name, field in OWN_COLUMNS.items()}
    for field in ("observations", "next_observations"):
        if columns[field].size != len(columns[field]) * math.prod(shape):
            raise InputError(str(path), f"of observations of shape {shape}", "other sizes")
        columns[field] = columns[field].reshape(-1, *shape)
    return Transitions(**columns, action_names=names)
