"""The policy that a plan stands for, as probabilities."""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64, Int64


def greedy_chances(q_values: Float64, slip: float = 0.0) -> Float64:
    """Return [., A] probabilities: the best action, or any available one by a slip."""
    return chances_of(q_values.argmax(axis=1), np.isfinite(q_values), slip)


def chances_of(places: Int64, available: Bool, slip: float = 0.0) -> Float64:
    """Return [., A] probabilities: what stands at places [.], or any available one by a slip."""
    best = np.arange(available.shape[1]) == places[:, None]
    random = available / np.maximum(available.sum(axis=1, keepdims=True), 1)
    return (1.0 - slip) * best + slip * random
