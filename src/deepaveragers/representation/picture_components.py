"""Pictures as a few numbers: the principal components of a sample of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64
from .experience import Columns
from .standardizing import SAMPLED_PICTURES

COMPONENTS = 32
LARGEST_SIDE = 42
"""Pixels; larger pictures are averaged over squares first."""
BATCH = 1_024


@dataclass(frozen=True, eq=False)
class PictureComponents:
    """Reads pictures by the directions along which they vary most.

    Attributes:
        mean: [pixels] float64.
        axes: [pixels, W] float64.
    """

    mean: Float64
    axes: Float64

    def __call__(self, observations: Columns) -> Float64:
        """Return [N, W]."""
        parts = [
            (_pooled(observations[start : start + BATCH]) - self.mean) @ self.axes
            for start in range(0, len(observations), BATCH)
        ]
        return np.concatenate(parts)


def fit_picture_components(observations: Columns) -> PictureComponents:
    """Return the components of some pictures."""
    rows = np.unique(np.linspace(0, len(observations) - 1, SAMPLED_PICTURES).astype(np.int64))
    sample = _pooled(observations[rows])
    mean = sample.mean(axis=0)
    # By the products of the sample's pictures, which are fewer than pixels.
    variances, mixtures = np.linalg.eigh((sample - mean) @ (sample - mean).T)
    kept = np.flatnonzero(variances > 1e-9 * max(variances[-1], 1e-300))[-COMPONENTS:]
    if len(kept) == 0:  # All are the same picture.
        return PictureComponents(mean, np.zeros((len(mean), 1)))
    axes = (sample - mean).T @ (mixtures[:, kept] / np.sqrt(variances[kept]))
    return PictureComponents(mean, axes)


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
