"""Acting by a network's Q-values: the baselines that DAC-MDPs are compared with."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from ..arguments import number, seed_number, unmasked
from ..arrays import Array, Float64, Int64
from ..data.observations import as_observations
from ..errors import InputError
from ..representation.architecture import Architecture
from .acting import Acting


class QNetwork(Protocol):
    """An encoder that has Q-values too."""

    @property
    def architecture(self) -> Architecture:
        """The network's shape."""

    def q_values(self, observations: Array) -> Float64:
        """Return [B, A] float64; -inf for an action that is not to be taken."""


class NetworkPolicy(Acting):
    """Greedy (or epsilon-greedy) decisions by a network; acts as `Policy` does.

    Args:
        network: the trained encoder.
        epsilon: chance of a random action.
        seed: of those random actions.
    """

    def __init__(self, network: QNetwork, *, epsilon: float = 0.0, seed: int = 0) -> None:
        self.network = network
        self.epsilon = number("epsilon", epsilon, least=0.0, most=1.0)
        self._random = np.random.default_rng(seed_number(seed))

    def __repr__(self) -> str:
        return f"NetworkPolicy({self.network!r}, epsilon={self.epsilon})"

    def q_values(self, observations: Any) -> Float64:
        """Return [B, A] float64; -inf for an action that is not to be taken."""
        return self._q_values(self._read(observations)[0])

    def _actions(self, batch: Array, epsilon: float) -> Int64:
        q_values = self._q_values(batch)
        actions = np.argmax(q_values, axis=1)
        if epsilon > 0.0:
            explore = self._random.random(len(batch)) < epsilon
            drawn = self._random.integers(q_values.shape[1], size=len(batch))
            actions = np.where(explore, drawn, actions)
        return actions

    def _q_values(self, batch: Array) -> Float64:
        if len(batch):
            return self.network.q_values(batch)
        return self.network.q_values(np.zeros((1, *batch.shape[1:]), batch.dtype))[:0]

    def _read(self, observation: Any) -> tuple[Array, bool]:
        """Return observations [B, ...] and whether one was given alone."""
        array = np.asarray(unmasked("observation", observation))
        shape = self.network.architecture.input_shape
        if array.shape in ((0,), (0, *shape)):
            kind = np.uint8 if self.network.architecture.is_image else np.float32
            return np.empty((0, *shape), kind), False
        single = array.shape == shape or (
            not self.network.architecture.is_image and array.size == math.prod(shape)
        )
        batch = as_observations(array[None] if single else array, "observation")
        if math.prod(batch.shape[1:]) != math.prod(shape):
            raise InputError(
                "observation", f"of shape {shape}, or a batch of those", f"shape {array.shape}"
            )
        return batch, single and array.ndim == len(shape)
