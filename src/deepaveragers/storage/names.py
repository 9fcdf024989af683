"""Names, times and chances of transitions as plain arrays: text is stored as JSON in bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array
from ..data.columns import DATES
from ..data.transitions import Transitions
from ..errors import BundleError

TEXTS = ("observation_names", "observation_units", "episode_names")
NUMBERS = ("times", "propensities", "action_bounds")


def pack_names(data: Transitions) -> dict[str, Array]:
    """Return what the log says beside its numbers; nothing for what it does not say."""
    given = {name: getattr(data, name) for name in (*TEXTS, *NUMBERS)}
    arrays = {name: value for name, value in given.items() if value is not None}
    for name in TEXTS:
        if name in arrays:
            text = json.dumps(list(arrays[name])).encode()
            arrays[name] = np.frombuffer(text, dtype=np.uint8)
    if "times" in arrays and arrays["times"].dtype == DATES:
        arrays["dates"] = arrays.pop("times").view(np.int64)
    return arrays


def unpack_names(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Return the fields of `Transitions`."""
    fields: dict[str, Any] = {name: _names(arrays, name) for name in TEXTS if name in arrays}
    fields |= {name: arrays[name] for name in NUMBERS if name in arrays}
    if "dates" in arrays:
        fields["times"] = np.asarray(arrays["dates"]).view(DATES)
    return fields


def _names(arrays: Mapping[str, Array], name: str) -> list[str]:
    try:
        names = json.loads(np.asarray(arrays[name], dtype=np.uint8).tobytes())
    except (ValueError, RecursionError) as error:
        raise BundleError(f"its {name} are not text.") from error
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise BundleError(f"its {name} are not text.")
    return names
