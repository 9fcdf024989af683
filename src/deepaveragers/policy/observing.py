"""What a policy is asked about, as a batch in the order of the data."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..data.by_name import MISSING, matched
from ..data.column_names import listed
from ..data.observations import as_numbers, as_observations
from ..data.transitions import Transitions
from ..errors import DataWarning, InputError

NO_ACTION = "No action can be told for that: look at where the observation comes from."


@dataclass(frozen=True, eq=False)
class ObservationForm:
    """What observations of the data look like.

    Attributes:
        shape: of one observation.
        dtype: of the data's.
        names: of the columns; None where they have none.
        means: of the data's columns that may be missing, because a column of their own marks
            that: by column number.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    names: tuple[str, ...] | None
    means: Mapping[int, float]

    @classmethod
    def of(cls, data: Transitions) -> ObservationForm:
        """Return the form of the data's observations."""
        means = {
            column: float(data.observations[:, column].mean(dtype=np.float64))
            for column in columns_that_may_be_missing(data.observation_names)
        }
        dtype = data.observations.dtype
        return cls(data.observation_shape, dtype, data.observation_names, means)


def columns_that_may_be_missing(names: Sequence[str] | None) -> list[int]:
    """Return the columns whose absence has a column of its own, "lactate=missing"."""
    known = set(names or ())
    return [place for place, name in enumerate(names or ()) if f"{name}={MISSING}" in known]


class ObservationReader:
    """Reads observations: arrays in the data's order, or anything with names in any order.

    Args:
        form: of the data's observations.
    """

    def __init__(self, form: ObservationForm) -> None:
        self._form = form
        self._shape, self._names = form.shape, form.names
        self._mentioned = False

    def read(self, observation: Any) -> tuple[Array, bool]:
        """Return observations [B, ...], of which there may be none, and whether one was alone."""
        if self._names is not None:
            found = matched(observation, self._names)
            if found is not None:
                self._mention(found.ignored)
                return self._checked(self._filled(found.rows)), found.single
        elif isinstance(observation, list) and any(isinstance(one, Mapping) for one in observation):
            raise InputError(
                "observation",
                "numbers in the order of the data, whose columns have no names",
                "a list of mappings",
                "Give the data observation_names.",
            )
        if isinstance(observation, Mapping | tuple):
            return self._structured(observation)
        array = as_numbers(observation, "observation")
        single = array.shape == self._shape or (array.ndim == 0 and self._shape == (1,))
        return self._checked(array.reshape(1, *self._shape) if single else array), single

    def _checked(self, array: Array) -> Array:
        if array.shape in ((0,), (0, *self._shape)):
            return np.empty((0, *self._shape), self._form.dtype)
        batch = as_observations(array, "observation", NO_ACTION, self._names)
        if batch.shape[1:] != self._shape:
            named = "" if self._names is None else f": {listed(self._names)}"
            raise InputError(
                "observation",
                f"of shape {self._shape}, or a batch of those, as in the data{named}",
                f"shape {array.shape}",
            )
        return batch

    def _filled(self, rows: Array) -> Array:
        """Return the rows with the data's mean for a value whose absence has its own column."""
        for column, mean in self._form.means.items():
            if np.isnan(rows[:, column]).any():
                rows = rows.astype(np.result_type(rows, np.float32))
                rows[np.isnan(rows[:, column]), column] = mean
        return rows

    def _mention(self, ignored: tuple[str, ...]) -> None:
        if ignored and not self._mentioned:
            self._mentioned = True
            warnings.warn(
                f"The data have no column {listed(ignored)}: what is given there is ignored.",
                DataWarning,
                stacklevel=5,
            )

    def _structured(self, observation: Any) -> tuple[Array, bool]:
        """Return the parts side by side, as Gymnasium flattens a Dict or Tuple space."""
        alone = as_observations(_with_batch_axis(observation), "observation", NO_ACTION)
        if alone.shape[1:] == self._shape:
            return alone, True
        batch = as_observations(observation, "observation", NO_ACTION)
        if batch.shape[1:] != self._shape:
            raise InputError(
                "observation", f"{self._shape[0]} numbers as in the data", f"{alone.shape[1]}"
            )
        return batch, False


def _with_batch_axis(parts: Any) -> Any:
    if isinstance(parts, Mapping):
        # The order of an OrderedDict's keys is that of the columns.
        kind = OrderedDict if isinstance(parts, OrderedDict) else dict
        return kind((key, _with_batch_axis(part)) for key, part in parts.items())
    if isinstance(parts, tuple):
        return tuple(_with_batch_axis(part) for part in parts)
    return as_numbers(parts, "observation")[None]
