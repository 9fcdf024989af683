"""BentoML around the same `policy.act`, as its documentation says; runs in its own environment."""

from __future__ import annotations

import os

import bentoml
import numpy as np

import deepaveragers as da


@bentoml.service(workers=1)
class PolicyService:
    """Decides as `dac serve` does, without names, support and ties."""

    def __init__(self) -> None:
        self._policy = da.load(os.environ["POLICY"])

    @bentoml.api
    def decide(self, observation: dict[str, float]) -> int:
        """Return the action of one observation."""
        return int(self._policy.act(observation))

    @bentoml.api
    def decide_all(self, observations: np.ndarray) -> np.ndarray:
        """Return the actions of a batch."""
        return self._policy.act(np.asarray(observations, np.float32))
