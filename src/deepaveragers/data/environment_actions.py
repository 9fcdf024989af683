"""The actions of a Gymnasium environment as the data store them, and back again.

Discrete ones are numbers from 0; a small set of combinations is numbered as readers number it.
Boxes, Tuples, Dicts and larger sets of combinations are rows of numbers (`action_parts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np

from ..arrays import Array, Bool, Float64
from ..errors import InputError
from .action_parts import native_row, row_bounds, row_names, row_type, whole_columns
from .action_vectors import rounded_bounds
from .spaces import action_space_names, combination_sizes


@dataclass(frozen=True, eq=False)
class EnvironmentActions:
    """What can be done in an environment.

    Attributes:
        space: the environment's own.
        names: of the A actions, or of the Da columns of a row.
        bounds: [2, Da] float64 of rows; None for numbered actions.
    """

    space: gym.Space[Any]
    names: tuple[str, ...]
    bounds: Float64 | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one action as the data store it."""
        return () if self.bounds is None else (len(self.names),)

    @property
    def known_bounds(self) -> Float64 | None:
        """The bounds, or None where no column has any."""
        return self.bounds if self.bounds is not None and np.isfinite(self.bounds).any() else None

    @property
    def dtype(self) -> Any:
        """Of an action as the data store it."""
        return np.dtype(np.int32) if self.bounds is None else row_type(self.space)

    @cached_property
    def _whole(self) -> Bool:
        return whole_columns(self.space)

    def random(self, generator: np.random.Generator, count: int) -> Array:
        """Return so many random actions: uniform, and normal where a column has no bounds."""
        if self.bounds is None:
            return generator.integers(len(self.names), size=count)
        low, high = self.bounds
        if self._whole.all():
            return generator.integers(low.astype(int), high.astype(int) + 1, (count, len(low)))
        bounded = np.isfinite(low) & np.isfinite(high)
        ends = np.where(bounded, low, 0.0), np.where(bounded, high, 1.0)
        uniform = generator.uniform(*ends, size=(count, len(low)))
        normal = generator.normal(size=uniform.shape)
        drawn = np.clip(np.where(bounded, uniform, normal), low, high)
        if self._whole.any():
            least, most = (ends.astype(int) for ends in np.where(self._whole, self.bounds, 0.0))
            drawn = np.where(self._whole, generator.integers(least, most + 1, drawn.shape), drawn)
        return drawn.astype(self.dtype)

    def checked(self, action: Any) -> Any:
        """Return a policy's action as the data store it; rows are clipped to the bounds."""
        if self.bounds is None:
            if not 0 <= int(action) < len(self.names):
                raise InputError("policy", f"actions in 0..{len(self.names) - 1}", int(action))
            return int(action)
        row = np.asarray(action, dtype=np.float64)
        if not np.isfinite(row).all():
            raise InputError("policy", "actions of finite numbers", "NaN or infinity")
        if (row != np.rint(row))[self._whole].any():
            raise InputError("policy", "actions of whole numbers", "fractions")
        low, high = rounded_bounds(self.bounds, self.dtype)
        return np.clip(row.astype(self.dtype), low, high).astype(self.dtype)

    def native(self, action: Any) -> Any:
        """Return a checked action as the environment takes it."""
        space = self.space
        if isinstance(space, gym.spaces.Discrete):
            return int(space.start) + action
        if self.bounds is None:
            sizes = combination_sizes(space)
            assert sizes is not None
            action = np.stack(np.unravel_index(action, tuple(sizes)))
            if isinstance(space, gym.spaces.MultiDiscrete):
                action = action + space.start.reshape(-1)
        return native_row(space, action)


def actions_of(env: gym.Env[Any, Any]) -> EnvironmentActions:
    """Return what can be done in an environment."""
    space, names = env.action_space, action_space_names(env.action_space)
    bounds = row_bounds(space)
    if names is not None:
        meanings = getattr(getattr(env, "unwrapped", env), "get_action_meanings", None)
        if meanings is not None and len(meanings()) == len(names):
            names = tuple(str(name) for name in meanings())
        return EnvironmentActions(space, names)
    if bounds is not None and bounds.size:
        columns = row_names(space) or tuple(map(str, range(bounds.shape[1])))
        return EnvironmentActions(space, columns, bounds)
    raise InputError(
        "env",
        "an environment with Discrete, Box, MultiDiscrete or MultiBinary actions, or a Tuple or "
        "Dict of these",
        f"the action space {space}",
        "Wrap it to choose among a set of candidate actions.",
    )
