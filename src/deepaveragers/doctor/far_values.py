"""Codes for 'missing', and faults of sensors: values that lie apart from all others.

A code is the smallest or the largest value of its column, and there is a gap to the others: a
wide one if it is any number that repeats, less if it is one that is used as a code. Sensors that
saturate have no gap, flags have two values only, and heavy tails do not repeat.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Bool, Float64, Int64
from ..data.far_values import far_state, where_most_lie
from ..data.observations import rows_at_once
from ..data.transitions import Transitions
from ..errors import DataWarning
from ..representation.encoder import Standardize
from .findings import Certainty, Finding

LARGE_CODES = (-99999.0, -9999.0, -999.0, -99.0, 999.0, 9999.0, 99999.0)
SMALL_CODES = (-1.0, -9.0)
REPEATED = 3
MANY = 20
"""Different values beside a code, from which on a column is a measurement and no label."""
MEANING = "A code for 'missing', or a fault, is measured as if it were a state."
FIX = "Turn it into an empty cell and import with --missing drop."


class Code(NamedTuple):
    """A value that stands for 'missing', how often it is there, and how sure that is."""

    value: float
    times: int
    certainty: Certainty


class Sampled(NamedTuple):
    """The rows whose s are looked at, and those whose s' are, one after the other."""

    data: Transitions
    rows: Array
    last: Array

    def name(self, chosen: Bool) -> str:
        """Return the first state that is chosen, for the eye."""
        place, here = int(np.argmax(chosen)), len(self.rows)
        if place < here:
            return self.data.row_name(int(self.rows[place]))
        return f"s' of {self.data.row_name(int(self.last[place - here]))}"

    def of(self, chosen: Bool) -> Int64:
        """Return the rows that are chosen, by their s or their s'."""
        return np.unique(np.concatenate((self.rows, self.last))[chosen])


def far_value_findings(
    data: Transitions, rows: Array, columns: Float64, varied: Array
) -> Iterator[Finding]:
    """Yield codes and values far out, of the columns [S, D] of sampled rows and of all s'."""
    sampled = Sampled(data, rows, _last_rows(data, limit=len(rows)))
    states = np.concatenate([columns, data.next_observations[sampled.last]])
    found = set()
    for place in np.flatnonzero(varied):
        for finding in _of_column(states[:, place], int(place), sampled):
            found.add(int(place))
            yield finding
    yield from _far_states(data, columns, found)


def standardizing(columns: Array) -> Standardize:
    """Return the encoder, without its warning: values far out are findings of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return Standardize().fit(columns)


def _last_rows(data: Transitions, limit: int) -> Array:
    """Return rows whose s' is no later s; where an episode is terminated, nothing is measured."""
    last = np.append(data.episode_ids[1:] != data.episode_ids[:-1], True)
    rows = np.flatnonzero(last & ~data.terminations)
    return rows[:: max(1, len(rows) // limit)]


def _of_column(column: Float64, place: int, rows: Sampled) -> Iterator[Finding]:
    values, name = column, rows.data.column_name(place)
    for edge in (np.min, np.max):
        while (code := _code(values, edge)) is not None:
            values = values[values != code.value]
            yield Finding(
                "missing_value_code",
                f"{_values(code.times)} exactly {code.value:g}, apart from all others",
                f"column {name}, the others in {values.min():g} .. {values.max():g}, first in "
                + rows.name(column == code.value),
                code.certainty,
                MEANING,
                FIX,
                rows=rows.of(column == code.value),
            )
    most = where_most_lie(values)
    with np.errstate(over="ignore"):
        gaps = np.abs(values - most.middle)
    far = gaps > most.reach
    if far.any():
        farthest = values[np.argmax(gaps)]
        yield Finding(
            "outlier",
            f"{_values(int(far.sum()))} far outside of the others, as far as {farthest:g}",
            f"column {name}, most values in {most.low:g} .. {most.high:g}, farthest in "
            + rows.name(column == farthest),
            "possible",
            MEANING,
            FIX,
            rows=rows.of(np.isin(column, values[far])),
        )


def _values(count: int) -> str:
    return "one sampled value is" if count == 1 else f"{count:,} sampled values are"


def _code(values: Float64, edge: Callable[..., float]) -> Code | None:
    """Return the value at an edge if it is a code."""
    value = float(edge(values))
    rest = values[values != value]
    if not len(rest):
        return None
    count, low, high = len(values) - len(rest), float(rest.min()), float(rest.max())
    if low == high:
        return None
    gap = max(low - value, value - high)
    repeated = count >= REPEATED
    if value in LARGE_CODES and gap > high - low:
        return Code(value, count, "likely" if repeated else "possible")
    if repeated and gap > where_most_lie(rest).reach:
        return Code(value, count, "likely")
    if repeated and value in LARGE_CODES + SMALL_CODES and value < 0.0 <= low:
        different = np.unique(rest)
        # The sparse upper tail says nothing of how far apart values are at this edge.
        steps = np.diff(different[: len(different) // 2 + 1])
        if len(different) >= MANY and gap > REPEATED * steps.max():
            return Code(value, count, "possible")
    return None


def _far_states(data: Transitions, columns: Float64, found: set[int]) -> Iterator[Finding]:
    """Yield the s' farthest from all s, among all rows, unless its column has a finding."""
    encoder = standardizing(columns)
    source = encoder.encode(columns)
    step = rows_at_once(data.next_observations)
    for start in range(0, len(data), step):
        part = slice(start, start + step)
        core = encoder.encode(data.next_observations[part])
        far = far_state(source, core, ~data.terminations[part])
        if far is None or far.column in found:
            continue
        found.add(far.column)
        row = start + far.row
        yield Finding(
            "outlier",
            f"s' is {data.next_observations[row, far.column]:g}, absurdly far from every s",
            f"{data.row_name(row)}, column {data.column_name(far.column)}",
            "likely",
            "The cost of that distance sets the scale of the tolerance: plans become inexact.",
            "Mend the value, or leave that row out.",
            rows=np.array([row]),
        )
