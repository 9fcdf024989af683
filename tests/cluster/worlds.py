"""Data on which searches over shards are compared with searches on one machine."""

from __future__ import annotations

import numpy as np

from deepaveragers.neighbors.features import Features


def latent(size=4_000, seed=0):
    """16 columns that three hidden ones decide, with noise."""
    random = np.random.default_rng(seed)
    hidden, weights = random.normal(size=(size, 3)), random.normal(size=(3, 16))
    source = np.tanh(hidden @ weights) + 0.05 * random.normal(size=(size, 16))
    core = np.tanh((hidden + 0.1 * random.normal(size=hidden.shape)) @ weights)
    features = Features(source.astype(np.float32), core.astype(np.float32))
    return features, random.integers(0, 6, size).astype(np.int32), 6


def ties(size=1_500, seed=1):
    """A coarse grid: equal distances, duplicates, shards without rows, rare and absent actions."""
    random = np.random.default_rng(seed)
    source, core = (random.integers(0, 4, size=(size, 2)).astype(np.float32) for _ in range(2))
    source[: size // 2] = source[0]
    actions = random.integers(0, 2, size).astype(np.int32)
    actions[[3, size - 1]] = 2  # fewer than k
    return Features(source, core), actions, 4


def far_out(size=600, seed=2):
    """Float64 columns of very different size, a few rows far out, queries beyond all of them."""
    random = np.random.default_rng(seed)
    source, core = (random.normal(size=(size, 3)) * [1e-8, 1.0, 1e6] for _ in range(2))
    source[:3] *= 1e9
    core[-5:] *= 1e12
    return Features(source, core), random.integers(0, 3, size).astype(np.int32), 3
