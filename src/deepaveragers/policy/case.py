"""Comparable cases: logged states like the one asked about, in which an action was taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ..arrays import Array, Float64, Floats, Int64
from ..data.column_names import labels_of
from ..data.transitions import Transitions
from .sources import SourceStates

Ending = Literal["terminated", "truncated", "open"]
COLUMNS_KEPT = 64
"""Columns of a case that are kept at most: those that differ most from now."""


@dataclass(frozen=True)
class CaseColumn:
    """One column of a logged state, beside the state asked about.

    Attributes:
        name: of the column.
        unit: of the column, "" where it has none.
        now: its value in the state asked about.
        value: its value in the logged state.
        difference: value - now.
        after: its value in the state that followed; None where the episode ended.
    """

    name: str
    unit: str
    now: float
    value: float
    difference: float
    after: float | None


@dataclass(frozen=True)
class Case:
    """One logged decision in a state like the one asked about.

    Attributes:
        transition: its index in the data.
        episode: the log's own id of its episode.
        step: its place in the episode, from 0.
        time: when it was, as the log says; None if it does not.
        distance: of the state asked about, in the representation.
        action: what was done.
        columns: what was observed then and afterwards, by name; empty for pictures.
        reward: what followed at once, as logged.
        earned: what was earned from there to the end of the episode, undiscounted.
        steps_after: logged steps of the episode that came after it.
        ending: how the episode ended: "terminated", "truncated" (cut off), or "open" (the log
            stops).
    """

    transition: int
    episode: str
    step: int
    time: str | None
    distance: float
    action: str
    columns: tuple[CaseColumn, ...]
    reward: float
    earned: float
    steps_after: int
    ending: Ending


class Cases:
    """Finds comparable cases in one dataset.

    Args:
        data: the transitions.
        sources: their states, by action; None where actions are rows.
    """

    def __init__(self, data: Transitions, sources: SourceStates | None) -> None:
        self._data, self._sources = data, sources
        changes = np.flatnonzero(np.diff(data.episode_ids)) + 1
        self._starts: Int64 = np.concatenate(([0], changes))
        self._stops: Int64 = np.concatenate((changes, [len(data)]))
        self._names = labels_of(data.observation_names, data.observation_shape)
        self._units = data.observation_units or ("",) * len(self._names)

    def named(self, observation: Array) -> dict[str, float] | None:
        """Return an observation [1, ...] by column; None for pictures."""
        if not self._names:
            return None
        return dict(zip(self._names, observation[0].astype(float).tolist(), strict=True))

    def taken(self, action: int) -> int:
        """Return how often the log has the action."""
        assert self._sources is not None
        return self._sources.count(action)

    def step(self, row: int) -> int:
        """Return a row's place in its episode."""
        return row - int(self._starts[self._episode(row)])

    def find(
        self, features: Floats, observation: Array, action: int, count: int
    ) -> tuple[Case, ...]:
        """Return the nearest logged states of features [1, D] in which the action was taken.

        Args:
            features: of the observation.
            observation: [1, ...] the state asked about.
            action: its number.
            count: how many at most.
        """
        assert self._sources is not None
        rows, distances = self._sources.nearest(features, action, count)
        there = rows[0] >= 0
        chosen = rows[0][there]
        kept = self._kept(chosen, observation[0])
        pairs = zip(chosen.tolist(), distances[0][there].tolist(), strict=True)
        return tuple(self._case(row, distance, observation[0], kept) for row, distance in pairs)

    def at(self, row: int, distance: float, observation: Array) -> Case:
        """Return one logged decision as a case, for an observation [1, ...] so far away."""
        kept = self._kept(np.array([row]), observation[0])
        return self._case(row, distance, observation[0], kept)

    def _episode(self, row: int) -> int:
        return int(np.searchsorted(self._starts, row, side="right")) - 1

    def _case(self, row: int, distance: float, now: Array, kept: list[int]) -> Case:
        data = self._data
        last = int(self._stops[self._episode(row)]) - 1
        ending: Ending = "open"
        if data.terminations[last]:
            ending = "terminated"
        elif data.truncations[last]:
            ending = "truncated"
        return Case(
            transition=row,
            episode=data.episode_name(row),
            step=self.step(row),
            time=None if data.times is None else moment(data.times[row]),
            distance=distance,
            action=data.action_text(row),
            columns=self._columns(row, now, kept),
            reward=float(data.rewards[row]),
            earned=float(data.rewards[row : last + 1].sum()),
            steps_after=last - row,
            ending=ending,
        )

    def _columns(self, row: int, now: Array, kept: list[int]) -> tuple[CaseColumn, ...]:
        data = self._data
        here = data.observations[row].astype(np.float64)
        asked = now.astype(np.float64)
        after = None if data.terminations[row] else data.next_observations[row]
        return tuple(
            CaseColumn(
                name=self._names[place],
                unit=self._units[place],
                now=float(asked[place]),
                value=float(here[place]),
                difference=float(here[place] - asked[place]),
                after=None if after is None else float(after[place]),
            )
            for place in kept
        )

    def _kept(self, rows: Int64, now: Array) -> list[int]:
        """Return the columns to keep: all, or those that differ most in units of their spread."""
        if len(self._names) <= COLUMNS_KEPT or not len(rows):
            return list(range(len(self._names)))
        differences = np.abs(self._data.observations[rows] - now.astype(np.float64)).max(axis=0)
        order = np.argsort(-differences / self._spread, kind="stable")
        return sorted(order[:COLUMNS_KEPT].tolist())

    @cached_property
    def _spread(self) -> Float64:
        spread = np.asarray(self._data.observations).std(axis=0, dtype=np.float64)
        return np.where(spread > 0.0, spread, 1.0)


def moment(time: np.generic) -> str | None:
    """Return a time as text; None where it is not known."""
    if np.isnat(time) if isinstance(time, np.datetime64) else time != time:
        return None
    if isinstance(time, np.datetime64):
        return str(time.astype("datetime64[us]").item().isoformat())
    return f"{time:.15g}"
