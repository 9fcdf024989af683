"""Objectives as plain settings and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..mdp.objective import Objective


def pack_objective(objective: Objective) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of an objective."""
    settings: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for field in fields(objective):
        value = getattr(objective, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = value
        elif callable(value):
            raise InputError(
                f"objective.{field.name}",
                "an array or plain values to be saved",
                "a function",
                "Solve with the array that the function returns.",
            )
        else:
            settings[field.name] = value
    return settings, arrays


def unpack_objective(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Objective:
    """Return the objective that was packed; every field is checked as on construction."""
    given: dict[str, Any] = {**settings, **arrays}
    return Objective(**given)
