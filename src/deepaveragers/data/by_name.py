"""Observations by name: mappings, lists of mappings and tables, with columns in any order.

A column is found under its own name. A part of several numbers gives the columns "part[0]",
"part[1]" and so on; a category gives the columns "sex=F", "sex=M" of its values. A value that
is not there marks the column "lactate=missing", where the data have one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import plain, shown, unmasked
from ..arrays import Array
from ..errors import InputError
from .action_names import resembled
from .column_names import as_given, listed

PARAMETER = "observation"
MISSING = "missing"
"""The category of a value that is not there."""


@dataclass(frozen=True, eq=False)
class Matched:
    """Observations in the order of the data.

    Attributes:
        rows: [B, D].
        single: whether one was given alone.
        ignored: names that the data do not have.
    """

    rows: Array
    single: bool
    ignored: tuple[str, ...]


@dataclass(frozen=True)
class _Source:
    """Where a column comes from: a named part, a place in it, and a category that it marks."""

    part: str
    place: int | None = None
    category: str | None = None


def matched(values: Any, names: Sequence[str]) -> Matched | None:
    """Return observations that bring names, in the order of the data's; None for others."""
    many = _is_many(values)
    parts = _rows_as_columns(values) if many else _parts_of(values)
    if parts is None:
        return None
    sources = [_source(name, parts) for name in names]
    used = dict.fromkeys(source.part for source in sources if source is not None)
    ignored = tuple(name for name in parts if name not in used)
    missing = [name for name, source in zip(names, sources, strict=True) if source is None]
    if missing:
        raise _missing(missing, names, ignored)
    found = [source for source in sources if source is not None]
    arrays, single = _equally_long(parts, found, batch=many or not isinstance(values, Mapping))
    columns = [_column(source, arrays[source.part]) for source in found]
    _check_categories(found, arrays, columns)
    return Matched(np.column_stack(columns), single and not many, ignored)


def _is_many(values: Any) -> bool:
    return (
        isinstance(values, list | tuple)
        and len(values) > 0
        and all(isinstance(one, Mapping) for one in values)
    )


def _rows_as_columns(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    """Return the parts of all rows; one that a row lacks is missing there."""
    flat = [_flattened(row) for row in rows]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in flat for name in row):
        lacking = next((place for place, row in enumerate(flat) if name not in row), None)
        if lacking is None:
            columns[name] = _array(name, [row[name] for row in flat])
        elif any(name in row for row in flat):
            columns[name] = _Incomplete(lacking)
    return columns


@dataclass(frozen=True)
class _Incomplete:
    """A part that a row lacks."""

    row: int


def _parts_of(values: Any) -> dict[str, Any] | None:
    """Return what is given under each name; None where there are no names."""
    if isinstance(values, Mapping):
        return {name: _array(name, part) for name, part in _flattened(values).items()}
    if hasattr(values, "collect") and hasattr(values, "collect_schema"):
        values = values.collect()
    kind = getattr(values, "dtype", None)
    columns: Iterable[Any] | None = getattr(kind, "names", None)
    if columns is None:
        columns = getattr(values, "column_names", getattr(values, "columns", None))
    if columns is not None and not callable(columns):
        names = [str(column) for column in columns]
        if len(set(names)) != len(names):
            raise InputError(PARAMETER, "a table with distinct column names", listed(names))
        return {str(column): _array(str(column), values[column]) for column in columns}
    if hasattr(values, "index") and hasattr(values, "to_dict") and np.ndim(values) == 1:
        return {str(name): _array(str(name), part) for name, part in values.to_dict().items()}
    return None


def _flattened(parts: Mapping[Any, Any], before: str = "") -> dict[str, Any]:
    """Return the parts of parts side by side: "outer.inner", "outer[0]"."""
    flat: dict[str, Any] = {}
    for key, part in parts.items():
        name = f"{before}{key}"
        if isinstance(part, tuple):
            part = {f"[{place}]": one for place, one in enumerate(part)}
            flat |= _flattened(part, name)
        elif isinstance(part, Mapping):
            flat |= _flattened(part, f"{name}.")
        else:
            flat[name] = part
    return flat


def _array(name: str, part: Any) -> Array:
    part = unmasked(f"{PARAMETER}[{name!r}]", part)
    try:
        return np.asarray(part)
    except ValueError as error:
        raise InputError(f"{PARAMETER}[{name!r}]", "of equal shape", "rows of others") from error


def _source(name: str, parts: Mapping[str, Any]) -> _Source | None:
    """Return where a column comes from; None if from nowhere."""
    if name in parts:
        return _Source(name)
    base, place = _split(name)
    if base in parts:
        return _Source(base, place)
    for end in (place for place, letter in enumerate(name) if letter == "="):
        key, category = name[:end], name[end + 1 :]
        if key in parts:
            return _Source(key, None, category)
        base, place = _split(key)
        if base in parts:
            return _Source(base, place, category)
    return None


def _split(name: str) -> tuple[str, int | None]:
    """Return a part's name and the place in it: "part[3]" is ("part", 3)."""
    base, bracket, rest = name.rpartition("[")
    digits = rest[:-1]
    if bracket and rest.endswith("]") and digits.isascii() and digits.isdecimal():
        return base, int(digits)
    return name, None


def _missing(missing: list[str], names: Sequence[str], ignored: Sequence[str]) -> InputError:
    missing = as_given(missing, names)
    pairs = ((name, resembled(name, ignored)) for name in missing)
    meant = [f"{other!r} looks like {name!r}." for name, other in pairs if other]
    allowed = f"given with the columns of the data, {listed(as_given(names, names))}"
    return InputError(PARAMETER, allowed, f"none named {listed(missing)}", " ".join(meant[:3]))


def _equally_long(
    parts: Mapping[str, Any], sources: Sequence[_Source], *, batch: bool
) -> tuple[dict[str, Array], bool]:
    """Return the used parts as [B, numbers], and whether there is one observation alone."""
    widths: dict[str, int] = {}
    for source in sources:
        widths[source.part] = max(widths.get(source.part, 1), (source.place or 0) + 1)
    arrays, lengths = {}, {}
    for name, width in widths.items():
        part = parts[name]
        if isinstance(part, _Incomplete):
            raise InputError(PARAMETER, f"rows that all have {name!r}", f"none in row {part.row}")
        alone = part.size == width and not (batch and part.ndim)
        length = 1 if alone else len(part) if part.ndim else 0
        if length * width != part.size:
            several = f"{width} numbers" if width > 1 else "one number"
            raise InputError(f"{PARAMETER}[{name!r}]", f"{several} each", f"shape {part.shape}")
        arrays[name] = part.reshape(length, width)
        lengths[name] = None if alone else length
    if len(set(lengths.values())) > 1:
        raise InputError(PARAMETER, "of parts of equal length", shown(lengths))
    return arrays, None in lengths.values()


def _column(source: _Source, part: Array) -> Array:
    values = part[:, source.place or 0]
    if source.category is not None:
        return np.array(
            [category_of(value) == source.category for value in values.tolist()], dtype=bool
        )
    if values.dtype.kind in "fiub":
        return values
    numbers = np.empty(len(values))
    for row, value in enumerate(values.tolist()):
        numbers[row] = np.nan if is_missing(value) else number_of(source.part, value)
    return numbers


def number_of(name: str, value: Any) -> float:
    """Return a number that came among other things."""
    if isinstance(value, str | bytes):
        raise InputError(f"{PARAMETER}[{name!r}]", "a number", shown(value))
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{PARAMETER}[{name!r}]", "a number", shown(value)) from None


def is_missing(value: Any) -> bool:
    """Whether a value is none: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def category_of(value: Any) -> str:
    """Return a category as the name of its column has it; "missing" where there is none."""
    value = plain(value)
    if is_missing(value):
        return MISSING
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _check_categories(
    sources: Sequence[_Source], arrays: Mapping[str, Array], columns: Sequence[Array]
) -> None:
    """Refuse a category that the data do not know."""
    groups: dict[tuple[str, int | None], list[int]] = {}
    for column, source in enumerate(sources):
        if source.category is not None:
            groups.setdefault((source.part, source.place), []).append(column)
    for (part, place), members in groups.items():
        known = [sources[column].category for column in members]
        if known == [MISSING]:
            continue
        unknown = ~np.logical_or.reduce([columns[column] for column in members])
        if unknown.any():
            value = arrays[part][:, place or 0].tolist()[int(np.argmax(unknown))]
            allowed = f"one of {listed([str(one) for one in known])}"
            raise InputError(f"{PARAMETER}[{part!r}]", allowed, shown(value))
