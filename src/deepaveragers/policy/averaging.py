"""Averages over neighbours: the weights, and Q-values of which some may be missing."""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64
from ..kernels.bellman.problem import DISTANCE_OFFSET


def weights_of(distances: Float64, weighting: str) -> Float64:
    """Return weights [B, k] for distances [B, k], together 1."""
    weights = (
        np.ones_like(distances) if weighting == "uniform" else 1.0 / (distances + DISTANCE_OFFSET)
    )
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def partly_masked(q_values: Float64) -> bool:
    """Whether some states [N, A] have an action that others do not."""
    unavailable = np.isneginf(q_values)
    return bool((unavailable.any(axis=0) & ~unavailable.all(axis=0)).any())


def only(q_values: Float64, allowed: Bool) -> Float64:
    """Return Q-values [B, A] of the allowed actions alone, unless that would leave none.

    Args:
        q_values: [B, A]; -inf where an action is not available.
        allowed: [B, A] or [1, A].
    """
    left = allowed & np.isfinite(q_values)
    return np.where(left | ~left.any(axis=1, keepdims=True), q_values, -np.inf)


def average_of(weights: Float64, q_values: Float64, *, masked: bool) -> Float64:
    """Return [B, A], the average of Q-values [B, k, A]; a state has no say where it has none.

    Args:
        weights: [B, k].
        q_values: [B, k, A]; -inf where an action is not available.
        masked: whether that may differ from neighbour to neighbour.
    """
    if not masked:
        return np.einsum("bk,bka->ba", weights, q_values)
    may = np.isfinite(q_values)
    total = np.einsum("bk,bka->ba", weights, may)
    summed = np.einsum("bk,bka->ba", weights, np.where(may, q_values, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0.0, summed / total, -np.inf)
