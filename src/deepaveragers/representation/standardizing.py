"""How networks read observations: by how they differ, under names that stand with the weights."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, Float32, Float64, Floats
from .architecture import Architecture
from .encoder import Standardize
from .experience import Columns

MEAN, SCALE = "input.mean", "input.scale"
SAMPLED_PICTURES = 1_000


def standardization(observations: Array) -> dict[str, Float64]:
    """Return the mean and scale of vector observations, under the names the network reads."""
    fitted = Standardize().fit(observations)
    assert fitted.mean is not None
    assert fitted.scale is not None
    return {
        MEAN: fitted.mean,
        SCALE: fitted.scale,
    }


def input_standardization(network: Architecture, observations: Columns) -> dict[str, Floats]:
    """Return the mean and scale by which a network reads these observations."""
    if network.is_image:
        return {**picture_standardization(network, observations)}
    return {**standardization(observations[:])}


def picture_standardization(network: Architecture, observations: Columns) -> dict[str, Float32]:
    """Return the mean picture and one scale, of a sample, as the network reads pictures."""
    rows = np.unique(np.linspace(0, len(observations) - 1, SAMPLED_PICTURES).astype(np.int64))
    pictures = np.asarray(observations[rows], np.float32) / np.float32(255.0)
    if network.channels == "none":
        pictures = pictures[:, None]
    elif network.channels == "last":
        pictures = pictures.transpose(0, 3, 1, 2)
    mean = pictures.mean(axis=0, dtype=np.float64).astype(np.float32)
    pictures -= mean
    deviation = math.sqrt(float(np.mean(np.square(pictures), dtype=np.float64)))
    scale = 1.0 / deviation if deviation > 0.0 else 1.0
    return {MEAN: mean, SCALE: np.full(1, scale, np.float32)}
