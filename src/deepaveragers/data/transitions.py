"""The record that everything starts from: a static dataset of transitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..arguments import known_fields
from ..arrays import Array, Bool, Float64, Int64, frozen, rows_at
from ..errors import InputError
from .action_vectors import action_figures, as_action_bounds, kind_of_actions, text_of_action
from .actions import as_actions
from .column_names import (
    as_observation_names,
    as_observation_units,
    given_names,
    in_order,
    labels_of,
)
from .columns import as_column, as_flags, as_propensities, as_times
from .episodes import as_episode_names, as_text_ids, derived_ids, distinct_ids, names_at
from .frame_stacks import check_shared_frames, observations_at
from .observations import as_observations, check_finite
from .row_numbers import checked_rows

MAX_TRANSITIONS = 2**31 - 1
"""Neighbour indices are int32."""
COLUMNS = ("actions", "rewards", "terminations", "truncations", "episode_ids")
"""One number or flag per transition."""
OPTIONAL_COLUMNS = ("times", "propensities")
"""One number per transition, where the log has them."""
NAMES = ("action_names", "observation_names", "observation_units", "episode_names")
"""Text: of actions, of columns, of episodes."""


@known_fields
@dataclass(frozen=True, eq=False, kw_only=True)
class Transitions:
    """Logged transitions (s, a, r, s'), in the order in which they were experienced.

    Lists, arrays, and DataFrames, dictionaries or tuples of arrays (as observations) are
    accepted and checked; the fields then hold read-only arrays.

    Attributes:
        observations: [N, ...] s, float32/float64 columns, or uint8 pictures; or
            `FrameStacks`, pictures made of frames that are stored once.
        actions: [N] int32 in 0..A-1. Text labels are accepted and become `action_names`. Or
            [N, Da] rows: float32/float64 (continuous), or int32 (several discrete parts).
        rewards: [N] float64.
        next_observations: [N, ...] s', the true one also at the end of an episode.
        terminations: [N] bool, the episode ended here and nothing more can be earned.
        truncations: [N] bool, the episode was cut off here (a time limit); s' is an
            ordinary state. None means that nothing was cut.
        episode_ids: [N] int64, equal within an episode. None derives them from the flags
            and from places where s' differs from the next row's s. Text labels are accepted
            and become `episode_names`.
        action_names: A names, the place is the action's number; or Da names of the columns
            of rows. None names them by their numbers from "0".
        observation_names: one name per column of the observations. None takes those of a
            DataFrame or dictionary of observations, and is what pictures have.
        observation_units: one unit per column, "" where it has none; or {name: unit}.
        episode_names: the log's own id of each episode, one per distinct number among
            `episode_ids`, in ascending order of the numbers; or {number: name}. An episode
            that was split has its name twice.
        times: [N] when each action was taken: int64, float64, or datetime64[us]; NaN and NaT
            are unknown.
        propensities: [N] float64 in (0, 1], the chance with which the logged action was
            chosen; NaN is unknown.
        action_bounds: [2, Da] float64, the least and the most of each column of actions that
            are rows; None where nothing is known of them.
    """

    observations: Array
    actions: Array
    rewards: Float64
    next_observations: Array
    terminations: Bool
    truncations: Bool = None  # type: ignore[assignment]
    episode_ids: Int64 = None  # type: ignore[assignment]
    action_names: tuple[str, ...] = None  # type: ignore[assignment]
    observation_names: tuple[str, ...] | None = None
    observation_units: tuple[str, ...] | None = None
    episode_names: tuple[str, ...] | None = None
    times: Array | None = None
    propensities: Float64 | None = None
    action_bounds: Float64 | None = None

    def __post_init__(self) -> None:
        columns = given_names(self.observations, self.observation_names)
        observations = as_observations(self.observations, columns=columns)
        size = len(observations)
        self._set_names(columns, observations.shape[1:], size)
        if size > MAX_TRANSITIONS:
            raise InputError("observations", f"at most {MAX_TRANSITIONS:,} transitions", size)
        later = in_order(self.next_observations, columns)
        next_observations = as_observations(later, "next_observations", columns=columns)
        if next_observations.shape != observations.shape:
            raise InputError(
                "next_observations",
                f"of the same shape as observations, {observations.shape}",
                f"shape {next_observations.shape}",
            )
        check_shared_frames(observations, next_observations)
        if next_observations.dtype != observations.dtype:
            common = np.result_type(observations, next_observations)
            observations = observations.astype(common)
            next_observations = next_observations.astype(common)
        actions, names = as_actions(self.actions, self.action_names, size)
        rewards = as_column(self.rewards, "rewards", size, np.float64)
        check_finite(rewards, "rewards")
        terminations = as_flags(self.terminations, "terminations", size)
        truncations = (
            np.zeros(size, dtype=bool)
            if self.truncations is None
            else as_flags(self.truncations, "truncations", size)
        )
        episode_ids = (
            derived_ids(observations, next_observations, terminations | truncations)
            if self.episode_ids is None
            else as_column(self.episode_ids, "episode_ids", size, np.int64)
        )
        self._set(
            observations=observations,
            actions=actions,
            rewards=rewards,
            next_observations=next_observations,
            terminations=terminations,
            truncations=truncations,
            episode_ids=episode_ids,
            action_names=names,
            action_bounds=as_action_bounds(self.action_bounds, actions, names),
            episode_names=as_episode_names(self.episode_names, episode_ids),
            times=as_times(self.times, size),
            propensities=as_propensities(self.propensities, size),
        )

    def _set_names(
        self, columns: tuple[str, ...] | None, shape: tuple[int, ...], size: int
    ) -> None:
        """Set the names of columns, and those that the given episode ids are."""
        names = as_observation_names(columns, shape)
        self._set(
            observation_names=names,
            observation_units=as_observation_units(self.observation_units, names),
        )
        labels = None if self.episode_ids is None else as_text_ids(self.episode_ids, size)
        if labels is not None:
            if self.episode_names is not None:
                raise InputError("episode_names", "None where episode_ids are text", "both")
            self._set(episode_ids=labels[0], episode_names=labels[1])

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            kept = frozen(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, name, kept)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.observation_shape))
        return (
            f"Transitions({len(self):,} transitions, {self.num_episodes:,} episodes, "
            f"observations {shape} {self.observations.dtype}, {self.actions_in_words})"
        )

    @property
    def num_actions(self) -> int:
        """Number of actions (A); actions that are rows are not counted, but refused."""
        if self.action_vectors:
            raise InputError("data", "with discrete actions for this", self.actions_in_words)
        return len(self.action_names)

    @property
    def action_vectors(self) -> bool:
        """Whether actions are rows [N, Da]: continuous, or of several discrete parts."""
        return self.actions.ndim == 2

    @property
    def actions_in_words(self) -> str:
        """What kind of actions there are, in words."""
        return kind_of_actions(self.actions, len(self.action_names))

    def check_numbered(self, parameter: str, purpose: str, remedy: str = "") -> None:
        """Refuse actions that are rows at a door whose purpose is of numbered ones only."""
        if self.action_vectors:
            allowed = f"of discrete actions {purpose}"
            raise InputError(parameter, allowed, self.actions_in_words, remedy)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of one observation."""
        return tuple(int(length) for length in self.observations.shape[1:])

    @property
    def num_episodes(self) -> int:
        """Number of runs of equal episode ids."""
        return len(self._episode_bounds()) - 1

    def _episode_bounds(self) -> Int64:
        changes = np.flatnonzero(np.diff(self.episode_ids)) + 1
        return np.concatenate(([0], changes, [len(self)]))

    def episodes(self) -> Iterator[slice]:
        """Yield the slice of rows of each episode, in order."""
        bounds = self._episode_bounds()
        for start, stop in pairwise(bounds):
            yield slice(int(start), int(stop))

    def episode_name(self, row: int) -> str:
        """Return the log's own id of a row's episode; its number where the log gave none."""
        number = self.episode_ids[row]
        if self.episode_names is None:
            return str(number)
        return self.episode_names[int(np.searchsorted(self._distinct_ids, number))]

    @cached_property
    def _distinct_ids(self) -> Int64:
        """[E] int64, ascending: those that `episode_names` are of."""
        return distinct_ids(self.episode_ids)

    def column_name(self, column: int) -> str:
        """Return how a message calls a column of the observations: its name, or its number."""
        names = self.observation_names
        return str(column) if names is None else repr(names[column])

    def action_text(self, row: int) -> str:
        """Return the action of a row in words: its name, or its numbers by column."""
        return text_of_action(self.action_names, self.actions[row])

    def row_name(self, row: int) -> str:
        """Return how a message calls a row: "row 5", with the log's own id of its episode."""
        named = "" if self.episode_names is None else f" (episode {self.episode_name(row)!r})"
        return f"row {row}{named}"

    def by_name(self, observation: Array, most: int) -> dict[str, float]:
        """Return the first numbers of one observation by the names of their columns."""
        flat = np.asarray(observation).reshape(-1)[:most]
        labels = labels_of(self.observation_names, flat.shape)
        return dict(zip(labels, flat.astype(float).tolist(), strict=False))

    def episode_returns(self) -> Float64:
        """Return [episodes] float64, the undiscounted return of each episode in the data."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.add.reduceat(self.rewards, self._episode_bounds()[:-1])

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean_return = float(self.episode_returns().mean())
        return {
            "transitions": len(self),
            "episodes": self.num_episodes,
            "terminations": int(self.terminations.sum()),
            "truncations": int(self.truncations.sum()),
            "observation_shape": list(self.observation_shape),
            "observation_dtype": str(self.observations.dtype),
            "observation_names": self.observation_names and list(self.observation_names),
            "observation_units": self.observation_units and list(self.observation_units),
            "action_names": list(self.action_names),
            **action_figures(self.actions, len(self.action_names)),
            "mean_return": mean_return,
        }

    def subset(self, rows: slice | Sequence[int] | Array) -> Transitions:
        """Return the given rows as a dataset of their own; names are kept."""
        taken = rows if isinstance(rows, slice) else checked_rows(rows, len(self))
        own = [name for name in OPTIONAL_COLUMNS if getattr(self, name) is not None]
        columns = {name: rows_at(getattr(self, name), taken) for name in (*COLUMNS, *own)}
        names = self.episode_names
        if names is not None:
            names = names_at(names, self.episode_ids, distinct_ids(columns["episode_ids"]))
        return of_checked(
            observations=observations_at(self.observations, taken),
            next_observations=observations_at(self.next_observations, taken),
            action_names=self.action_names,
            action_bounds=self.action_bounds,
            observation_names=self.observation_names,
            observation_units=self.observation_units,
            episode_names=names,
            **columns,
        )


def of_checked(**fields: Any) -> Transitions:
    """Return a dataset of columns that come from checked ones, without checking them again."""
    if not len(fields["actions"]):
        return Transitions(**fields)
    data = object.__new__(Transitions)
    data._set(**fields)
    return data
