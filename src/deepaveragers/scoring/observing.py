"""From chunks of a table to observations of a policy, with the place of what cannot be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import shown
from ..arrays import Array, Bool
from ..data.by_name import MISSING, category_of
from ..data.column_names import as_given, listed
from ..data.tables.notation import PLAIN, Notation, is_null
from ..data.tables.numbers import Where, as_numbers
from ..data.tables.table import Table
from ..errors import InputError
from ..policy.compact import CompactPolicy

SKIP = "or leave such rows out with --missing skip."


@dataclass(frozen=True)
class Layout:
    """Which columns of a table a policy reads, and how.

    Attributes:
        numbers: columns that hold numbers.
        labels: columns that hold labels, each of which has a column of its own in the data.
        order: for a policy without names, the columns in the order of its observations.
    """

    numbers: tuple[str, ...]
    labels: tuple[str, ...]
    order: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.numbers, *self.labels)


def layout_of(policy: CompactPolicy, table: Table, observations: Sequence[str] | None) -> Layout:
    """Return how a policy reads a table; a column that is missing is named.

    Args:
        policy: what will decide.
        table: where its observations are.
        observations: columns in the order of the policy's, where those have no names.
    """
    names = policy.observation_names
    if names is None or observations is not None:
        return _in_order(policy, table, observations)
    there = set(table.names)
    numbers, labels, missing = list[str](), list[str](), list[str]()
    for name in names:
        base = name.rpartition("=")[0]
        part = name if name in there else name.rpartition("[")[0]
        if part in there:
            numbers.append(part)
        elif base in there and f"{base}={MISSING}" == name:
            pass  # the column itself is a number or a label
        elif base in there:
            labels.append(base)
        else:
            missing += as_given([name], names)
    if missing:
        raise InputError(
            "table",
            f"given with the policy's columns, {listed(as_given(names, names))}",
            f"none named {listed(list(dict.fromkeys(missing)))} among {listed(table.names)}",
        )
    return Layout(tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(labels)))


def _in_order(policy: CompactPolicy, table: Table, observations: Sequence[str] | None) -> Layout:
    width = int(np.prod(policy.form.shape))
    usable = [name for name in table.names if name not in table.indexes]
    order = usable if observations is None else list(observations)
    unknown = [name for name in order if name not in table.names]
    if unknown:
        allowed = f"columns of the table, {listed(table.names)}"
        raise InputError("--observations", allowed, listed(unknown))
    if len(order) != width:
        raise InputError(
            "--observations",
            f"the {width} columns that the policy reads, in their order",
            f"{len(order)} columns",
            "" if observations else "The policy's columns have no names: say which ones they are.",
        )
    return Layout(tuple(order), (), tuple(order))


def observations_of(
    chunk: Mapping[str, Array],
    layout: Layout,
    policy: CompactPolicy,
    where: Where,
    notation: Notation = PLAIN,
) -> tuple[Any, Bool]:
    """Return what the policy reads of a chunk, and [n] whether each row can be used.

    Args:
        chunk: columns as the table gave them.
        layout: of the table.
        policy: what will decide.
        where: the place of a row of the chunk.
    """
    parts: dict[str, Array] = {}
    usable = np.ones(len(next(iter(chunk.values()))), dtype=bool)
    for name in layout.numbers:
        parts[name] = _numbers(chunk[name], _of_column(where, name), notation)
        if not _may_be_missing(name, policy):
            finite = np.isfinite(parts[name])
            usable &= finite if finite.ndim == 1 else finite.all(axis=1)
    for name in layout.labels:
        parts[name] = _labels(chunk[name])
        known, labels = _known_labels(name, policy), parts[name].tolist()
        there = {label: category_of(label) in known for label in set(labels)}
        usable &= np.array([there[label] for label in labels], dtype=bool)
    if layout.order is not None:
        return np.column_stack([parts[name] for name in layout.order]), usable
    return parts, usable


def first_unusable(
    parts: Any, usable: Bool, layout: Layout, policy: CompactPolicy, where: Where
) -> InputError:
    """Return the error that names the first cell that cannot be used."""
    row = int(np.argmin(usable))
    name = next((one for one in layout.names if not _fine(parts, one, row, layout, policy)), "")
    place = f"{where(row)}, column {name!r}"
    if name in layout.labels and parts[name][row] is not None:
        known = f"one of {listed(_known_labels(name, policy))}"
        return InputError(place, known, shown(parts[name][row]), f"Repair it, {SKIP}")
    allowed = "a value that a decision can be made of"
    return InputError(place, allowed, "a missing or infinite one", f"Fill it, {SKIP}")


def _fine(parts: Any, name: str, row: int, layout: Layout, policy: CompactPolicy) -> bool:
    if layout.order is not None:
        return bool(np.isfinite(parts[row, layout.order.index(name)]))
    value = parts[name][row]
    if name in layout.labels:
        return category_of(value) in _known_labels(name, policy)
    return _may_be_missing(name, policy) or bool(np.isfinite(value).all())


def rows_of(parts: Any, usable: Bool, layout: Layout) -> Any:
    """Return the rows that can be used."""
    if usable.all():
        return parts
    if layout.order is not None:
        return parts[usable]
    return {name: part[usable] for name, part in parts.items()}


def _may_be_missing(name: str, policy: CompactPolicy) -> bool:
    return f"{name}={MISSING}" in (policy.observation_names or ())


def _known_labels(name: str, policy: CompactPolicy) -> list[str]:
    """Return the labels that have a column of their own in the data, missing ones too."""
    start = f"{name}="
    names = policy.observation_names or ()
    return [one[len(start) :] for one in names if one.startswith(start)]


def _numbers(cells: Array, where: Where, notation: Notation) -> Array:
    try:
        return as_numbers(cells, where, notation)
    except InputError as error:  # whose remedies are those of an import
        remedy = "Repair it; a blank cell is a missing value."
        if notation.decimal == "." and "," in str(error.received):
            remedy = "If a comma stands before the fraction, say so: --decimal ,"
        raise InputError(error.parameter, error.allowed, error.received, remedy) from None


def _labels(cells: Array) -> Array:
    """Return labels as text or numbers; None where there is none."""
    labels = np.empty(len(cells), dtype=object)
    labels[:] = [_label(cell) for cell in cells.tolist()]
    return labels


def _label(cell: Any) -> Any:
    if isinstance(cell, str):
        text = cell.strip()
        return None if text.casefold() in PLAIN.no_label else text
    return None if is_null(cell) else cell


def _of_column(where: Where, name: str) -> Where:
    return lambda row: f"{where(row)}, column {shown(name)}"
