"""Actions as numbers 0..A-1 with names, from integers or text labels; or rows of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arguments import check_text, several, unmasked
from ..arrays import Array, Int32
from ..errors import InputError
from .action_vectors import as_action_vectors, is_table_of_actions

MAX_UNNAMED_ACTIONS = 100_000
"""A larger number is more likely a mistaken column than an action."""


def as_actions(
    values: Any, names: Iterable[str] | None, size: int
) -> tuple[Array, tuple[str, ...]]:
    """Return [N] int32 actions and their names; or rows [N, Da] and the names of columns."""
    if is_table_of_actions(values):
        return as_action_vectors(values, names, size)
    array = np.asarray(unmasked("actions", values))
    if array.shape != (size,):
        raise InputError(
            "actions",
            f"of shape ({size},), one discrete action per transition",
            f"shape {array.shape}",
        )
    given = _checked_names(names)
    if array.dtype.kind in "US" or (
        array.dtype == object and all(isinstance(value, str) for value in array)
    ):
        numbers, labels = _from_labels(array.astype(str), given)
    else:
        numbers, labels = _from_numbers(array, given)
    check_text("action_names", labels)
    return numbers, labels


def _checked_names(names: Iterable[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    given = several("action_names", names, "a sequence of names")
    result = tuple(str(name) for name in given)
    if not result or len(set(result)) != len(result):
        raise InputError("action_names", "distinct names, at least one", result)
    return result


def _from_labels(labels: Array, names: tuple[str, ...] | None) -> tuple[Int32, tuple[str, ...]]:
    if names is None:
        distinct, places = np.unique(labels, return_inverse=True)
        return places.astype(np.int32), tuple(str(label) for label in distinct)
    number = {name: place for place, name in enumerate(names)}
    unknown = sorted(set(labels.tolist()) - set(names))
    if unknown:
        raise InputError("actions", f"among action_names {names}", f"{unknown[0]!r}")
    return np.array([number[label] for label in labels.tolist()], dtype=np.int32), names


def _from_numbers(array: Array, names: tuple[str, ...] | None) -> tuple[Int32, tuple[str, ...]]:
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.rint(array)).all():
        array = array.astype(np.int64)
    if array.dtype.kind not in "iub":
        raise InputError(
            "actions",
            "whole numbers or text labels",
            f"values of type {array.dtype}"
            + (" with fractions, NaN or infinities" if array.dtype.kind == "f" else ""),
            "Give continuous actions as rows, [N, Da]: actions[:, None] for one number each.",
        )
    if len(array) and int(array.min()) < 0:
        raise InputError("actions", "numbers >= 0", int(array.min()))
    largest = int(array.max()) if len(array) else 0
    if names is not None and largest >= len(names):
        raise InputError("actions", f"numbers below the {len(names)} action_names", largest)
    if names is None:
        if largest >= MAX_UNNAMED_ACTIONS:
            raise InputError(
                "actions",
                f"numbers 0..A-1 with A <= {MAX_UNNAMED_ACTIONS:,}",
                largest,
                "Number the actions from 0, or give action_names.",
            )
        names = tuple(str(number) for number in range(largest + 1))
    return array.astype(np.int32), names
