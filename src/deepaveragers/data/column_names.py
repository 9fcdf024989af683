"""Names and units of the columns of observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import check_known, check_text, several
from ..errors import InputError

MENTIONED = 12
"""Names that a message lists before it only counts the rest."""


def listed(names: Sequence[str]) -> str:
    """Return names as a message shows them."""
    more = f" and {len(names) - MENTIONED} more" if len(names) > MENTIONED else ""
    return ", ".join(map(repr, names[:MENTIONED])) + more


def as_given(names: Sequence[str], among: Sequence[str]) -> list[str]:
    """Return columns as those who give them call them: "sex" for "sex=F" and "sex=M".

    Args:
        names: some of the columns.
        among: all of them.
    """
    bases = Counter(name.rpartition("=")[0] for name in among)
    found: dict[str, None] = {}
    for name in names:
        base = name.rpartition("=")[0]
        found[base if base and (bases[base] > 1 or base in among) else name] = None
    return list(found)


def given_names(observations: Any, names: Iterable[Any] | None) -> tuple[str, ...] | None:
    """Return the names that observations bring along, or were given beside them."""
    brought = _names_of_columns(observations)
    if names is None:
        return brought
    several_names = several("observation_names", names, "a sequence of names, or None")
    given = tuple(str(name) for name in several_names)
    return brought if brought is not None and set(brought) == set(given) else given


def in_order(observations: Any, names: tuple[str, ...] | None) -> Any:
    """Return observations whose columns bring the same names in another order, in this one."""
    brought = None if isinstance(observations, Mapping) else _names_of_columns(observations)
    if brought is None or names is None or brought == names or set(brought) != set(names):
        return observations
    columns = {str(column): column for column in observations.columns}
    return observations[[columns[name] for name in names]]


def as_observation_names(
    names: tuple[str, ...] | None, shape: tuple[int, ...]
) -> tuple[str, ...] | None:
    """Return one name per column of observations of the given shape; None if there are none."""
    if names is None:
        return None
    if len(shape) != 1:
        raise InputError("observation_names", "None for pictures", f"{len(names)} names")
    if len(names) != shape[0]:
        raise InputError("observation_names", f"{shape[0]} names, one per column", len(names))
    if len(set(names)) != len(names) or not all(names):
        twice = sorted({name for name in names if names.count(name) > 1 or not name})
        raise InputError("observation_names", "distinct names, none empty", listed(twice))
    check_text("observation_names", names)
    return names


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
    check_text("observation_units", result)
    return result if any(result) else None


def _names_of_columns(values: Any) -> tuple[str, ...] | None:
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
        inner = _names_of_columns(part) or ()
        return tuple(f"{name}.{one}" for one in inner)
    if isinstance(part, tuple):
        return tuple(
            one for place, own in enumerate(part) for one in _names_of(f"{name}[{place}]", own)
        )
    shape = np.shape(part)
    return numbered(name, int(np.prod(shape[1:], dtype=np.int64)))


def labels_of(names: tuple[str, ...] | None, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return what the columns are called, "column 3" where they have no names; pictures: none."""
    if names is not None or len(shape) != 1:
        return names or ()
    return tuple(f"column {place}" for place in range(shape[0]))


def numbered(name: str, width: int) -> tuple[str, ...]:
    """Return the names of a part of several numbers: "a", or "a[0]", "a[1]" and so on."""
    return (name,) if width == 1 else tuple(f"{name}[{place}]" for place in range(width))
