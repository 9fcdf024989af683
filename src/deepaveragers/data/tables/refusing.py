"""Saying which cell of a table cannot be used, and what to do about it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Bool, Int64
from ...errors import InputError
from ..mapping import TableMapping
from .columns import Columns
from .table import Table


@dataclass(frozen=True, eq=False)
class Refusal:
    """Where rows of a table stand in its source, and what was missing there.

    Attributes:
        columns: of the rows.
        mapping: the meaning of the columns.
        table: where they came from.
        rows: [R] row of the table that each row was; None: as they are.
    """

    columns: Columns
    mapping: TableMapping
    table: Table
    rows: Int64 | None

    def unless_dropped(self, wrong: Bool, column: str | None) -> None:
        """Raise an error about the first row with a missing value, unless they are dropped."""
        if self.mapping.missing == "drop" or not wrong.any():
            return
        name = str(column)
        told = self.columns.missing.told(name)
        more = int(wrong.sum()) - 1
        raise InputError(
            f"column {name!r}",
            "filled with finite values",
            f"a missing or infinite one at {self._place(wrong)}"
            + (f", and {more:,} more" if more else "")
            + (f" (in the whole column {told})" if told else ""),
            self._remedy(name, wrong),
        )

    def blank_rewards(self, blank: Bool, last: Bool) -> None:
        """Raise an error where only last rows of episodes have a reward: no step would be left."""
        if blank.any() and bool(blank[~last].all()):
            raise InputError(
                f"column {self.mapping.reward!r}",
                "filled in more rows than the last of an episode",
                f"a blank in {int(blank.sum()):,} of {len(blank):,} rows",
                "If a blank is no reward, say reward_fill=0 (--reward-fill 0).",
            )

    def always(self, wrong: Bool, column: str | None, allowed: str, values: Array) -> None:
        """Raise an error about the first row that is wrong."""
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(f"column {column!r} at {self._place(wrong)}", allowed, values[row])

    def _place(self, wrong: Bool) -> str:
        first = int(np.flatnonzero(wrong)[0])
        return self.table.place(first if self.rows is None else int(self.rows[first]))

    def _remedy(self, column: str, wrong: Bool) -> str:
        drop = "leave those steps out with missing='drop' (--missing drop)"
        if column == self.mapping.reward:
            return f"If a blank is no reward, say reward_fill=0 (--reward-fill 0); or {drop}."
        if column in [one.name for one in self.columns.layout]:
            if self._tells_ends(wrong):
                flag = f"terminated={column!r} (--terminated {shlex.quote(column)})"
                return f"Only last rows of episodes have it: if it tells how they end, say {flag}."
            return f"Fill them with fill='forward' or 'mean' (--fill forward), or {drop}."
        return f"Repair them, or {drop}."

    def _tells_ends(self, wrong: Bool) -> bool:
        """Whether no column of ends is named, and only last rows of episodes are whole."""
        if self.mapping.terminated is not None or self.mapping.done is not None:
            return False
        codes = self.columns.episodes.codes
        last = np.append(codes[1:] != codes[:-1], True)
        return bool((~wrong).any() and last[~wrong].all())
