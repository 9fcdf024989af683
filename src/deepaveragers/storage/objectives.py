"""Objectives as plain settings and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..mdp.objective import Objective

ARRAY_DTYPES = {"rewards": np.float64, "action_mask": np.bool_}


def pack_objective(objective: Objective) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of an objective."""
    settings: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for field in fields(objective):
        value = getattr(objective, field.name)
        if field.name in ARRAY_DTYPES and value is not None and not callable(value):
            arrays[field.name] = np.asarray(value, dtype=ARRAY_DTYPES[field.name])
        elif callable(value):
            raise InputError(
                f"objective.{field.name}",
                "an array or plain values to be saved",
                "a function",
                "Solve with the array that the function returns.",
            )
        elif isinstance(value, Mapping):
            settings[field.name] = {"pairs": [[_plain(k), _plain(v)] for k, v in value.items()]}
        else:
            settings[field.name] = _plain(value)
    return settings, arrays


def _plain(value: Any) -> Any:
    """Return NumPy's numbers and arrays as Python's own, which JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def unpack_objective(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Objective:
    """Return the objective that was packed; every field is checked as on construction."""
    given: dict[str, Any] = {**settings, **arrays}
    for name, value in settings.items():
        if isinstance(value, dict):
            given[name] = dict(value["pairs"])
    return Objective(**given)
