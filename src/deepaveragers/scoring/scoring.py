"""Scoring: chunks of a table are read, decided upon and written, one after another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from ..arguments import choice
from ..arrays import Array, Bool
from ..data.column_names import listed
from ..data.tables.notation import Notation, check_notation
from ..data.tables.table import Table
from ..errors import DataWarning, InputError
from ..policy.compact import CompactPolicy
from ..policy.deciding import Decisions
from .columns import columns_of, names_of
from .observing import first_unusable, layout_of, observations_of, rows_of
from .sinks import Columns, Sink

Missing = Literal["stop", "skip"]
INPUT = "input_"
"""Before the name of a key that is the name of a column of decisions, too."""


@dataclass(frozen=True)
class Scored:
    """What was scored.

    Attributes:
        rows: that were read.
        skipped: of those, how many could not be used.
        abstained: how many decisions are the fallback's.
        tied: how many have ties.
    """

    rows: int
    skipped: int
    abstained: int
    tied: int


class Scoring:
    """One policy on one table.

    Args:
        policy: what decides.
        table: what is decided upon.
        keys: columns of the table to write beside the decisions; None takes all that are not
            observations.
        observations: columns in the order of the policy's, where those have no names.
        missing: "stop" at the first row that cannot be used, or "skip" those.
        decimal: the mark before the fraction of a number in a text, "." or ",".
    """

    def __init__(
        self,
        policy: CompactPolicy,
        table: Table,
        *,
        keys: Sequence[str] | None = None,
        observations: Sequence[str] | None = None,
        missing: Missing = "stop",
        decimal: str = ".",
    ) -> None:
        check_notation(decimal, None, None)
        self._notation = Notation(decimal=decimal)
        self._policy, self._table = policy, table
        self._skip = choice("missing", missing, ("stop", "skip")) == "skip"
        self._layout = layout_of(policy, table, observations)
        self._keys = self._checked_keys(keys)
        self._own = names_of(policy)
        self.names = ("row", *(self._called(key) for key in self._keys), *self._own)

    def run(self, sink: Sink, advance: Callable[[int], None]) -> Scored:
        """Decide upon all rows, and return what was scored."""
        rows = skipped = abstained = tied = 0
        with warnings.catch_warnings():
            # Keys are no observations, which is not worth a word.
            warnings.simplefilter("ignore", DataWarning)
            names = dict.fromkeys([*self._layout.names, *self._keys])
            for chunk in self._table.chunks([*names]):
                parts, usable = self._read(chunk, rows)
                decisions = self._policy.decide(parts)
                sink.write(self._columns(chunk, usable, decisions, rows))
                advance(len(usable))
                rows += len(usable)
                skipped += len(usable) - len(decisions)
                abstained += int(decisions.abstained.sum())
                tied += int(decisions.ties.any(axis=1).sum())
        sink.close()
        return Scored(rows, skipped, abstained, tied)

    def _read(self, chunk: Columns, start: int) -> tuple[object, Bool]:
        where = partial(_place, self._table, start)
        parts, usable = observations_of(chunk, self._layout, self._policy, where, self._notation)
        if not self._skip and not usable.all():
            raise first_unusable(parts, usable, self._layout, self._policy, where)
        return rows_of(parts, usable, self._layout), usable

    def _columns(
        self, chunk: Columns, usable: Bool, decisions: Decisions, start: int
    ) -> dict[str, Array]:
        """Return the columns that are written."""
        columns: dict[str, Array] = {"row": np.flatnonzero(usable) + start}
        columns |= {self._called(key): chunk[key][usable] for key in self._keys}
        return columns | columns_of(decisions, self._policy.digest)

    def _checked_keys(self, keys: Sequence[str] | None) -> tuple[str, ...]:
        if keys is None:
            used = {*self._layout.names, *self._table.indexes}
            return tuple(name for name in self._table.names if name not in used)
        unknown = [key for key in keys if key not in self._table.names]
        if unknown:
            allowed = f"columns of the table, {listed(self._table.names)}"
            raise InputError("--keys", allowed, listed(unknown))
        return tuple(keys)

    def _called(self, key: str) -> str:
        """Return the name of a key among the columns of decisions."""
        return f"{INPUT}{key}" if key == "row" or key in self._own else key


def _place(table: Table, start: int, row: int) -> str:
    return table.place(start + row)
