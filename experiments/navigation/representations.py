"""Representations: random networks on small pictures, and the true pose as the control.

Fine textures dominate the distances of a random network, so pictures are averaged over
squares of pixels first. The widths of several networks are projected together on their
principal directions (neighbour search in 64 dimensions is exact and quick), and scaled so
that the whole data has variance 1: distances, and with them the cost C, mean the same for
every network.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import deepaveragers as da

HEADING_METRES = 1.5
"""How far apart, in metres, headings count: opposite ones are twice this distance away."""
BATCH = 512


@dataclass(frozen=True, eq=False)
class PoseEncoder:
    """Poses (x, z, heading) as vectors of metres."""

    def fit(self, observations: np.ndarray) -> PoseEncoder:
        """Return itself: there is nothing to fit."""
        return self

    def encode(self, observations: np.ndarray) -> np.ndarray:
        """Return [B, 4] float64: x, z and the heading's cosine and sine, scaled."""
        x, z, heading = observations.T
        circle = HEADING_METRES * np.stack([np.cos(heading), np.sin(heading)])
        return np.stack([x, z, *circle], axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureEncoder:
    """Random networks on averaged pictures, projected on principal directions.

    Attributes:
        average: side of the squares of pixels that are averaged; 1 keeps every pixel.
        seeds: one random network for each.
        dimensions: number of principal directions.
        networks: fitted; None before fitting.
        mean: [networks * 512] float64, fitted.
        directions: [networks * 512, dimensions] float64, fitted.
    """

    average: int = 7
    seeds: tuple[int, ...] = (0,)
    dimensions: int = 64
    networks: tuple[da.Encoder, ...] | None = field(default=None, repr=False)
    mean: Any = field(default=None, repr=False)
    directions: Any = field(default=None, repr=False)

    def fit(self, observations: np.ndarray) -> PictureEncoder:
        """Return an encoder whose directions are those of these pictures [B, 84, 84, 3]."""
        small = shrink(observations, self.average)
        networks = tuple(da.RandomNetwork(seed=seed).fit(small) for seed in self.seeds)
        wide = _outputs(networks, small).astype(np.float64)
        mean = wide.mean(axis=0)
        variances, directions = np.linalg.eigh(np.cov((wide - mean).T))
        kept = np.argsort(-variances)[: self.dimensions]
        scale = 1.0 / np.sqrt(variances[kept].sum())
        return replace(self, networks=networks, mean=mean, directions=directions[:, kept] * scale)

    def encode(self, observations: np.ndarray) -> np.ndarray:
        """Return [B, dimensions] float32."""
        if self.networks is None:
            raise da.InputError("encoder", "fitted before use", "PictureEncoder not fitted")
        parts = [
            _outputs(self.networks, shrink(observations[start : start + BATCH], self.average))
            for start in range(0, len(observations), BATCH)
        ]
        return ((np.concatenate(parts) - self.mean) @ self.directions).astype(np.float32)


def _outputs(networks: Iterable[da.Encoder], small: np.ndarray) -> np.ndarray:
    return np.concatenate([network.encode(small) for network in networks], axis=1)


def shrink(pictures: np.ndarray, side: int) -> np.ndarray:
    """Return pictures [B, H/side, W/side, 3] uint8, each pixel the mean of a square."""
    if side == 1:
        return np.array(pictures)
    size, height, width = len(pictures), pictures.shape[1] // side, pictures.shape[2] // side
    whole = pictures[:, : height * side, : width * side]
    squares = whole.reshape(size, height, side, width, side, 3)
    return squares.mean(axis=(2, 4), dtype=np.float32).round().astype(np.uint8)
