"""What a policy is asked about, as a batch in the order of the data."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array
from ..data.by_name import MISSING, matched
from ..data.column_names import listed
from ..data.observations import as_numbers, as_observations
from ..data.transitions import Transitions
from ..errors import DataWarning, InputError

NO_ACTION = "No action can be told for that: look at where the observation comes from."


class ObservationReader:
    """Reads observations: arrays in the data's order, or anything with names in any order.

    Args:
        data: whose observations are spoken of.
    """

    def __init__(self, data: Transitions) -> None:
        self._data = data
        self._shape, self._names = data.observation_shape, data.observation_names
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
            return np.empty((0, *self._shape), self._data.observations.dtype)
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
        assert self._names is not None
        for column, name in enumerate(self._names):
            if f"{name}={MISSING}" in self._names and np.isnan(rows[:, column]).any():
                mean = self._data.observations[:, column].mean(dtype=np.float64)
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
