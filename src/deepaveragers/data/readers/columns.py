"""The columns of a table, gathered chunk by chunk and turned into plain arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from ...arrays import Array, Bool, Int64
from ...errors import InputError
from ..mapping import TableMapping
from ..scratch import Growing, taken
from .action_column import number_actions
from .cells import Labels, as_flags, as_numbers, as_times


class Table(Protocol):
    """Named columns that are handed over some rows at a time."""

    names: tuple[str, ...]
    notes: tuple[str, ...]

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time."""

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""


SHOWN = 3


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of all rows; missing is NaN, or -1 for actions, flags and episodes."""

    observations: Array
    next_observations: Array | None
    actions: Int64
    rewards: Array
    terminations: Array
    truncations: Array
    episodes: Int64
    episode_codes: Int64
    times: Array | None
    observation_names: tuple[str, ...]
    action_names: tuple[str, ...] | None
    notes: tuple[str, ...]

    def picked(self, rows: Int64 | None) -> Columns:
        """Return the given rows in their order; None is all of them as they are."""
        if rows is None:
            return self
        own: dict[str, Any] = {
            name: taken(value, rows) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        return Columns(**own)


def gathered(table: Table, mapping: TableMapping) -> Columns:
    """Return the columns that the mapping names, of all rows of a table."""
    chosen, following = mapping.resolved(table.names)
    roles = mapping.roles()
    wanted = list(dict.fromkeys([*chosen, *following, *roles.values()]))
    labels = {role: Labels() for role in ("action", "episode")}
    parts: dict[str, Growing] = {}
    dates: bool | None = None
    start = 0
    for chunk in table.chunks(wanted):
        size = len(next(iter(chunk.values())))

        def where(name: str, row: int, start: int = start) -> str:
            return f"column {name!r} at {table.place(start + row)}"

        found: dict[str, Array] = {"observations": _matrix(chunk, chosen, where)}
        if following:
            found["next_observations"] = _matrix(chunk, following, where)
        for role, name in roles.items():
            cells, at = chunk[name], partial(where, name)
            if role in labels:
                found[role] = labels[role].codes(cells, at)
            elif role == "time":
                found[role], are_dates = as_times(cells, at)
                if dates is not None and dates != are_dates:
                    raise InputError(at(0), "all numbers or all dates", "a mix of both")
                dates = are_dates
            else:
                found[role] = (as_numbers if role == "reward" else as_flags)(cells, at)
        for key, values in found.items():
            parts.setdefault(key, Growing()).append(values)
        start += size
    if not start:
        raise InputError("source", "a table with at least one row", "an empty table")
    whole = {key: parts.pop(key).whole() for key in list(parts)}
    return _as_columns(whole, labels, mapping, chosen)


def _matrix(chunk: dict[str, Array], names: Sequence[str], where: Any) -> Array:
    columns = [as_numbers(chunk[name], partial(where, name)) for name in names]
    return np.column_stack(columns) if len(columns) > 1 else columns[0].reshape(len(columns[0]), -1)


def _as_columns(
    whole: dict[str, Array],
    labels: dict[str, Labels],
    mapping: TableMapping,
    chosen: tuple[str, ...],
) -> Columns:
    size = len(whole["reward"])
    if whole["reward"].shape != (size,):
        raise InputError("reward", "a column of single numbers", "a column of lists")
    actions, names, notes = number_actions(
        whole["action"], labels["action"].values(), mapping.action_names
    )
    none = np.zeros(size, dtype=np.int8)
    truncations = whole.get("truncated", none)
    terminations = whole.get("terminated", none)
    if mapping.done is not None:
        terminations = np.where(truncations == 1, 0, whole["done"])
    times = whole.get("time")
    if mapping.episode is None:
        codes = _episodes_by_flags((terminations == 1) | (truncations == 1), actions, times)
        episodes = codes
    else:
        codes = whole["episode"]
        values = labels["episode"].values()
        whole_numbers = bool(values) and isinstance(values[0], int)
        episodes = np.asarray([*values, -1], dtype=np.int64)[codes] if whole_numbers else codes
        if values and not whole_numbers:
            notes = (*notes, _numbered(values))
    return Columns(
        observations=whole["observations"],
        next_observations=whole.get("next_observations"),
        actions=actions,
        rewards=whole["reward"].astype(np.float64),
        terminations=terminations,
        truncations=truncations,
        episodes=episodes,
        episode_codes=codes,
        times=times,
        observation_names=chosen,
        action_names=names,
        notes=notes,
    )


def _numbered(labels: Sequence[object]) -> str:
    """Return what became of the names of episodes."""
    shown = [f"{label} is {number}" for number, label in enumerate(labels[:SHOWN])]
    more = ", and so on" if len(labels) > SHOWN else ""
    return f"episodes were numbered as they came: {', '.join(shown)}{more}"


def _episodes_by_flags(ended: Bool, actions: Int64, times: Array | None) -> Int64:
    starts = np.zeros(len(ended), dtype=bool)
    # A row without an action is the final observation of the episode before it.
    starts[1:] = (ended[:-1] & (actions[1:] >= 0)) | (actions[:-1] < 0)
    if times is not None:
        starts[1:] |= times[1:] < times[:-1]
    return np.cumsum(starts).astype(np.int64)
