"""Which rows of a table make an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array, Bool, Int64
from ..mapping import TableMapping

SHOWN = 3


@dataclass(frozen=True, eq=False)
class Episodes:
    """What tells the episodes of R rows apart.

    Attributes:
        codes: [R] int64, in the order in which episodes are met; -1 where it is unknown.
        ids: [R] int64, the log's own numbers where it has numbers, else the codes.
        labels: the log's own ids by code; None where it names none.
        notes: what was decided.
        assumed: a guess that the caller should confirm; None if none was needed.
    """

    codes: Int64
    ids: Int64
    labels: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    assumed: str | None = None

    def picked(self, rows: Int64) -> Episodes:
        """Return the given rows in their order."""
        return replace(self, codes=self.codes[rows], ids=self.ids[rows])

    def names(self) -> tuple[str, ...] | None:
        """Return the log's own id of each distinct number among `ids`, ascending."""
        if self.labels is None:
            return None
        _, first = np.unique(self.ids, return_index=True)
        return tuple(self.labels[code] for code in self.codes[first].tolist())


def number_episodes(
    mapping: TableMapping,
    *,
    ended: Bool,
    unacted: Bool,
    times: Array | None,
    files: Sequence[int],
    codes: Int64 | None,
    labels: Sequence[Any] | None,
) -> Episodes:
    """Return what tells episodes apart.

    Args:
        mapping: the meaning of the columns.
        ended: [R] bool, rows that are marked as ends.
        unacted: [R] bool, rows without an action.
        times: [R], or None.
        files: the first row of each file.
        codes: [R] places among the labels of the episode column, if there is one.
        labels: of that column.
    """
    if codes is not None and labels is not None:
        return _named(codes, labels)
    if mapping.each_row_ends:
        numbers = np.arange(len(ended), dtype=np.int64)
        return Episodes(numbers, numbers, notes=("every row is an episode of its own",))
    starts = np.zeros(len(ended), dtype=bool)
    # A row without an action is the final observation of the episode before it.
    starts[1:] = (ended[:-1] & ~unacted[1:]) | unacted[:-1]
    if times is not None:
        starts[1:] |= times[1:] < times[:-1]
    starts[[row for row in files if 0 < row < len(starts)]] = True
    numbers = np.cumsum(starts).astype(np.int64)
    count = int(numbers[-1]) + 1
    notes: tuple[str, ...] = ()
    assumed = None
    if count > 1:
        signs = ["an end is marked"]
        signs += ["the time goes back"] if times is not None else []
        signs += ["a file ends"] if len(files) > 1 else []
        found = " or ".join(signs)
        notes = (f"no episode column: an episode ends where {found}, {count:,} of them",)
    elif not mapping.one_series and mapping.next_observations is None and len(ended) > 1:
        assumed = (
            f"no episode column and no ends: all {len(ended):,} rows were taken for one series, "
            "each row leading to the next. If they are one, say one_series=True (--one-series); "
            "if every row stands alone, each_row_ends=True (--each-row-ends); else name the "
            "column that is equal within an episode (--episode)"
        )
    return Episodes(numbers, numbers, notes=notes, assumed=assumed)


def _named(codes: Int64, labels: Sequence[Any]) -> Episodes:
    names = tuple(str(label) for label in labels)
    if labels and isinstance(labels[0], int):
        return Episodes(codes, np.asarray([*labels, -1], dtype=np.int64)[codes], names)
    shown = [f"{name} is {number}" for number, name in enumerate(names[:SHOWN])]
    more = ", and so on" if len(names) > SHOWN else ""
    note = (f"episodes were numbered as they came: {', '.join(shown)}{more}",) if shown else ()
    return Episodes(codes, codes, names, note)
