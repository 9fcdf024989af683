"""The columns of a table, gathered chunk by chunk and turned into plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Array, Bool, Int64
from ...errors import InputError
from ..mapping import TableMapping
from ..scratch import Growing, taken
from .action_column import number_actions
from .cells import Labels
from .ends import end_flags
from .episodes import Episodes, number_episodes
from .notation import MissingCells, Notation
from .numbers import as_numbers
from .observation_column import ObservationColumn
from .reward_column import rewards_by_text
from .table import Table
from .times import TimeColumn


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of R rows; missing is NaN, or -1 for actions, flags and episodes.

    Attributes:
        observations: [R, D] numbers; categories are codes of their labels.
        next_observations: [R, D] of s', where the table has them.
        actions: [R] int64, or [R, Da] float64 with NaN where one is missing.
        rewards: [R] float64.
        terminations, truncations: [R] int8.
        outcomes: whether terminations came from texts, died or discharged say.
        episodes: what tells episodes apart.
        times: [R] int64, float64 or datetime64[us]; or None.
        propensities: [R] float64, or None.
        layout: the columns that the observations came from.
        action_names: or None, where actions are numbers.
        missing: what was taken as missing, by column.
        notes: what was decided.
    """

    observations: Array
    next_observations: Array | None
    actions: Array
    rewards: Array
    terminations: Array
    truncations: Array
    outcomes: bool
    episodes: Episodes
    times: Array | None
    propensities: Array | None
    layout: tuple[ObservationColumn, ...]
    action_names: tuple[str, ...] | None
    missing: MissingCells
    notes: tuple[str, ...]

    @property
    def lacking(self) -> Bool:
        """[R] bool, rows whose action is missing, or a part of it."""
        if self.actions.ndim == 1:
            return np.asarray(self.actions < 0)
        return np.asarray(~np.isfinite(self.actions).all(axis=1))

    @property
    def unacted(self) -> Bool:
        """[R] bool, rows without any part of an action."""
        return without_action(self.actions)

    def picked(self, rows: Int64 | None) -> Columns:
        """Return the given rows in their order; None is all of them as they are."""
        if rows is None:
            return self
        own: dict[str, Any] = {
            name: taken(value, rows) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        return Columns(**{**own, "episodes": self.episodes.picked(rows)})


def without_action(actions: Array) -> Bool:
    """Return [R] bool, rows without any part of an action."""
    absent = actions < 0 if actions.ndim == 1 else np.isnan(actions).all(axis=1)
    return np.asarray(absent)


def gathered(table: Table, mapping: TableMapping) -> Columns:
    """Return the columns that the mapping names, of all rows of a table."""
    gathering = _Gathering(table, mapping)
    for chunk in table.chunks(gathering.wanted):
        gathering.add(chunk)
    return gathering.columns()


class _Gathering:
    def __init__(self, table: Table, mapping: TableMapping) -> None:
        self._table, self._mapping = table, mapping
        self._chosen, self._following = mapping.resolved(table.names, table.indexes)
        self._roles = mapping.roles(table.names)
        self._acting = mapping.action_columns(table.names)
        named = [*self._chosen, *self._following, *self._acting, *self._roles.values()]
        self.wanted = list(dict.fromkeys(named))
        self._notation = Notation(
            mapping.missing_values, mapping.decimal, mapping.thousands, mapping.time_format
        )
        self._missing = MissingCells()
        self._observed = tuple(map(self._observation_column, self._chosen))
        self._labels = {
            role: Labels(self._notation, self._missing.of(name))
            for role, name in self._roles.items()
            if role not in ("time", "propensity")
            and (role != "reward" or mapping.reward_values is not None)
        }
        self._times = TimeColumn(self._notation)
        self._parts: dict[str, Growing] = {}
        self._rows = 0

    def _observation_column(self, name: str) -> ObservationColumn:
        return ObservationColumn(
            name,
            self._notation,
            self._missing,
            categorical=name in self._mapping.categories(self._table.names),
            named=self._mapping.observations is not None,
        )

    def add(self, chunk: dict[str, Array]) -> None:
        """Take the next rows in."""
        found: dict[str, Array] = {"observations": self._matrix(chunk, self._chosen)}
        if self._following:
            found["next_observations"] = self._matrix(chunk, self._following)
        if self._acting:
            found["action"] = self._action_rows(chunk)
        for role, name in self._roles.items():
            cells, at = chunk[name], partial(self._where, name, self._rows)
            if role in self._labels:
                found[role] = self._labels[role].codes(cells, at)
            elif role == "time":
                self._times.append(cells, at, self._missing.of(name))
            else:
                found[role] = as_numbers(cells, at, self._notation, self._missing.of(name))
        for key, values in found.items():
            self._parts.setdefault(key, Growing()).append(values)
        self._rows += len(next(iter(chunk.values())))

    def _action_rows(self, chunk: dict[str, Array]) -> Array:
        read = partial(as_numbers, notation=self._notation)
        parts = [
            read(
                chunk[name], partial(self._where, name, self._rows), missing=self._missing.of(name)
            )
            for name in self._acting
        ]
        if any(part.ndim != 1 for part in parts):
            raise InputError("action", "columns of single numbers", "a column of lists")
        return np.column_stack(parts).astype(np.float64)

    def _where(self, name: str, start: int, row: int) -> str:
        return f"column {name!r} at {self._table.place(start + row)}"

    def _matrix(self, chunk: dict[str, Array], names: Sequence[str]) -> Array:
        columns = [
            column.numbers(chunk[name], partial(self._where, name, self._rows))
            for column, name in zip(self._observed, names, strict=True)
        ]
        if len(columns) > 1:
            return np.column_stack(columns)
        return columns[0].reshape(len(columns[0]), -1)

    def columns(self) -> Columns:
        """Return what was gathered."""
        if not self._rows:
            raise InputError("source", "a table with at least one row", "an empty table")
        for column in self._observed:
            column.close()
        mapping = self._mapping
        whole = {key: self._parts.pop(key).whole() for key in list(self._parts)}
        for role in ("reward", "propensity"):
            if role in whole and whole[role].shape != (self._rows,):
                raise InputError(role, "a column of single numbers", "a column of lists")
        actions, names, notes = self._actions(whole["action"])
        terminations, truncations, outcomes, ending = self._ends(whole)
        times = self._times.whole() if mapping.time is not None else None
        episodes = number_episodes(
            mapping,
            ended=(terminations == 1) | (truncations == 1),
            unacted=without_action(actions),
            times=times,
            files=self._table.starts(),
            codes=whole.get("episode"),
            labels=self._labels["episode"].values() if mapping.episode is not None else None,
        )
        left_out = [
            f"column {one.name!r} {one.left_out}: it is left out"
            for one in self._observed
            if one.left_out is not None
        ]
        return Columns(
            observations=whole["observations"],
            next_observations=whole.get("next_observations"),
            actions=actions,
            rewards=self._rewards(whole["reward"]),
            terminations=terminations,
            truncations=truncations,
            outcomes=outcomes,
            episodes=episodes,
            times=times,
            propensities=whole.get("propensity"),
            layout=self._observed,
            action_names=names,
            missing=self._missing,
            notes=(*left_out, *self._missing.notes(), *notes, *ending, *episodes.notes),
        )

    def _actions(self, given: Array) -> tuple[Array, tuple[str, ...] | None, tuple[str, ...]]:
        """Return [R] numbers or [R, Da] rows, names of actions or of columns, and notes."""
        names = self._mapping.action_names
        if self._acting:
            return given, self._acting if names is None else names, ()
        return number_actions(given, self._labels["action"].values(), names)

    def _rewards(self, rewards: Array) -> Array:
        mapping = self._mapping
        if mapping.reward_values is not None:
            self._missing.of(mapping.reward).clear()
            return rewards_by_text(
                mapping.reward,
                rewards,
                self._labels["reward"],
                mapping.reward_values,
                mapping.reward_fill or 0.0,
            )
        rewards = rewards.astype(np.float64)
        if mapping.reward_fill is not None:
            rewards[np.isnan(rewards)] = mapping.reward_fill
        return rewards

    def _ends(self, whole: dict[str, Array]) -> tuple[Array, Array, bool, tuple[str, ...]]:
        """Return [R] terminations and truncations, whether they are texts, and notes."""
        mapping, outcomes = self._mapping, False
        notes: list[str] = []
        flags: dict[str, Array] = {}
        for role in ("terminated", "truncated", "done"):
            if role not in self._roles:
                continue
            values = None if role == "truncated" else mapping.terminal_values
            rewarding = self._roles[role] == mapping.reward and mapping.reward_values is None
            flags[role], texts, said = end_flags(
                self._roles[role], whole.pop(role), self._labels[role], values, rewarding=rewarding
            )
            if not (flags[role] < 0).any():
                self._missing.of(self._roles[role]).clear()
            outcomes |= texts and role != "truncated"
            notes.extend(said)
        none = np.zeros(self._rows, dtype=np.int8)
        truncations = flags.get("truncated", none)
        terminations = flags.get("terminated", none)
        if mapping.done is not None:
            terminations = np.where(truncations == 1, 0, flags["done"]).astype(np.int8)
        if mapping.each_row_ends:
            terminations = np.ones(self._rows, dtype=np.int8)
        return terminations, truncations, outcomes, tuple(notes)
