"""The policy that a plan stands for, as probabilities."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64


def greedy_chances(q_values: Float64, slip: float = 0.0) -> Float64:
    """Return [., A] probabilities: the best action, or any available one by a slip."""
    available = np.isfinite(q_values)
    best = np.arange(q_values.shape[1]) == q_values.argmax(axis=1)[:, None]
    random = available / np.maximum(available.sum(axis=1, keepdims=True), 1)
    return (1.0 - slip) * best + slip * random
