"""Names and units of the columns of observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import check_known, several
from ..errors import InputError

MENTIONED = 12
"""Names that a message lists before it only counts the rest."""


def listed(names: Sequence[str]) -> str:
    """Return names as a message shows them."""
    more = f" and {len(names) - MENTIONED} more" if len(names) > MENTIONED else ""
    return ", ".join(map(repr, names[:MENTIONED])) + more


def as_observation_names(
    names: Iterable[Any] | None, shape: tuple[int, ...]
) -> tuple[str, ...] | None:
    """Return one name per column of observations of the given shape; None if there are none."""
    if names is None:
        return None
    given = several("observation_names", names, "a sequence of names, or None")
    if len(shape) != 1:
        raise InputError("observation_names", "None for pictures", f"{len(given)} names")
    result = tuple(str(name) for name in given)
    if len(result) != shape[0]:
        raise InputError("observation_names", f"{shape[0]} names, one per column", len(result))
    if len(set(result)) != len(result) or not all(result):
        twice = sorted({name for name in result if result.count(name) > 1 or not name})
        raise InputError("observation_names", "distinct names, none empty", listed(twice))
    return result


def as_observation_units(
    units: Iterable[Any] | Mapping[str, Any] | None, names: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return one unit per named column, "" where it has none; None if there are none at all."""
    if units is None:
        return None
    if names is None:
        raise InputError(
            "observation_units", "None where the columns have no names", "units without names"
        )
    if isinstance(units, Mapping):
        check_known("observation_units", units, names)
        given: tuple[Any, ...] = tuple(units.get(name) for name in names)
    else:
        given = several("observation_units", units, "one unit per column, or {name: unit}")
    if len(given) != len(names):
        raise InputError("observation_units", f"{len(names)} units, one per column", len(given))
    result = tuple("" if unit is None else str(unit) for unit in given)
    return result if any(result) else None


def names_of_columns(values: Any) -> tuple[str, ...] | None:
    """Return the names that observations bring along: a DataFrame's, or a dictionary's keys.

    A part of several numbers gets a number for each: "position[0]", "position[1]". Parts of
    parts are joined by a dot.
    """
    if isinstance(values, Mapping):
        from .observations import ordered_keys

        return tuple(
            name for key in ordered_keys(values) for name in _names_of(str(key), values[key])
        )
    columns = getattr(values, "columns", None)
    return None if columns is None or isinstance(columns, property) else tuple(map(str, columns))


def _names_of(name: str, part: Any) -> tuple[str, ...]:
    if isinstance(part, Mapping):
        inner = names_of_columns(part) or ()
        return tuple(f"{name}.{one}" for one in inner)
    if isinstance(part, tuple):
        return tuple(
            one for place, own in enumerate(part) for one in _names_of(f"{name}[{place}]", own)
        )
    shape = np.shape(part)
    return numbered(name, int(np.prod(shape[1:], dtype=np.int64)))


def numbered(name: str, width: int) -> tuple[str, ...]:
    """Return the names of a part of several numbers: "a", or "a[0]", "a[1]" and so on."""
    return (name,) if width == 1 else tuple(f"{name}[{place}]" for place in range(width))
