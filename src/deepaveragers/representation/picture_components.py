"""Pictures as a few numbers: the principal components of a sample of them."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, Float64
from .experience import Columns
from .standardizing import SAMPLED_PICTURES

COMPONENTS = 32
LARGEST_SIDE = 42
"""Pixels; larger pictures are averaged over squares first."""
BATCH = 1_024


def picture_components(observations: Columns, others: Columns) -> tuple[Float64, Float64]:
    """Return [N, W] components of both, those along which the first vary most."""
    rows = np.unique(np.linspace(0, len(observations) - 1, SAMPLED_PICTURES).astype(np.int64))
    sample = _pooled(observations[rows])
    mean = sample.mean(axis=0)
    # By the products of the sample's pictures, which are fewer than pixels.
    variances, mixtures = np.linalg.eigh((sample - mean) @ (sample - mean).T)
    kept = np.flatnonzero(variances > 1e-9 * max(variances[-1], 1e-300))[-COMPONENTS:]
    axes = (sample - mean).T @ (mixtures[:, kept] / np.sqrt(variances[kept]))
    return _projected(observations, mean, axes), _projected(others, mean, axes)


def _projected(observations: Columns, mean: Float64, axes: Float64) -> Float64:
    parts = [
        (_pooled(observations[start : start + BATCH]) - mean) @ axes
        for start in range(0, len(observations), BATCH)
    ]
    return np.concatenate(parts)


def _pooled(pictures: Array) -> Float64:
    """Return [B, pixels] in 0..1, averaged over squares where the pictures are large."""
    # The two longest axes are height and width; what is left over are channels.
    height, width = sorted(np.argsort(pictures.shape[1:])[-2:] + 1)
    signal = pictures / 255.0
    for axis in (height, width):
        side = math.ceil(signal.shape[axis] / LARGEST_SIDE)
        length = signal.shape[axis] // side * side
        signal = np.take(signal, np.arange(length), axis=axis)
        shape = (*signal.shape[:axis], length // side, side, *signal.shape[axis + 1 :])
        signal = signal.reshape(shape).mean(axis=axis + 1)
    return signal.reshape(len(pictures), -1)
