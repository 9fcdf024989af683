"""Small trained policies as plain arrays, which make data of known quality.

A file holds `w0 b0 w1 b1 ...` (layers; the last gives the mean action), `activation` between them
("tanh" or "relu"), and where observations are standardised first, `obs_mean`, `obs_var`,
`epsilon` and `clip_obs`. Such files were made of the networks of DLR-RM/rl-trained-agents.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


class Agent:
    """A network that acts.

    Args:
        path: of its arrays.
    """

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as stored:
            self._arrays = {name: stored[name] for name in stored.files}
        self._depth = sum(name.startswith("w") for name in self._arrays)
        relu = str(self._arrays["activation"]) == "relu"
        self._bend: Any = (lambda x: np.maximum(x, 0.0)) if relu else np.tanh

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Return actions [B, Da]; the environment's bounds are kept by whoever plays them."""
        arrays, signal = self._arrays, np.asarray(observations, dtype=np.float64)
        if "obs_mean" in arrays:
            units = np.sqrt(arrays["obs_var"] + arrays["epsilon"])
            limit = arrays["clip_obs"]
            signal = np.clip((signal - arrays["obs_mean"]) / units, -limit, limit)
        for layer in range(self._depth):
            weight = arrays[f"w{layer}"]
            turned = weight.T if weight.shape[1] == signal.shape[1] else weight
            signal = signal @ turned + arrays[f"b{layer}"]
            signal = self._bend(signal) if layer < self._depth - 1 else signal
        return signal
