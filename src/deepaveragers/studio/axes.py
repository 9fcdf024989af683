"""What a map can show: columns of the observations, principal components of the features."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Float32, Float64
from ..data.column_names import labels_of
from ..errors import InputError
from ..mdp.model import DacMdp
from .messages import Axis

MOST_COLUMNS = 256
"""Columns that are offered; of wider data, the first ones."""
COMPONENTS = 6
"""Principal components that are offered."""
SAMPLE = 100_000
"""Core states, evenly spread, that quantiles and components are taken from."""
MARGIN = 0.05
"""Of the range beside the central 98 %."""
WIDE = 2_048
"""Features of which components are taken; of more, the first ones."""


class Axes:
    """The axes of one model; each is made when first asked for.

    Args:
        mdp: the compiled model.
    """

    def __init__(self, mdp: DacMdp) -> None:
        self._mdp = mdp
        data = mdp.transitions
        self.labels = labels_of(data.observation_names, data.observation_shape)[:MOST_COLUMNS]
        units = data.observation_units or ("",) * len(self.labels)
        self.units = units[: len(self.labels)]
        self.picks = spread_rows(len(mdp), SAMPLE)
        self._directions: tuple[Float64, Float64, Float64] | None = None
        self._lock = threading.Lock()
        self._axes: tuple[Axis, ...] | None = None
        self._making = threading.Lock()

    def sample(self) -> Float64:
        """Return [S, D] the columns of a sample of the core states; D is 0 for pictures."""
        if not self.labels:
            return np.empty((len(self.picks), 0))
        rows = np.asarray(self._mdp.transitions.next_observations[self.picks])
        return rows[:, : len(self.labels)].astype(np.float64)

    def axes(self) -> tuple[Axis, ...]:
        """Return all axes: the columns, then the components; the first who asks makes them."""
        with self._making:
            if self._axes is None:
                self._axes = self._made()
            return self._axes

    def _made(self) -> tuple[Axis, ...]:
        mean, directions, shares = self._principal()
        sample = self.sample()
        named = [f"{n} [{u}]" if u else n for n, u in zip(self.labels, self.units, strict=True)]
        found = [
            Axis(f"c{place}", label, "column", *_range(sample[:, place]))
            for place, label in enumerate(named)
        ]
        features = self._features(self.picks) - mean
        found += [
            Axis(
                f"p{place}",
                f"component {place + 1} ({share:.0%})",
                "component",
                *_range(features @ direction),
                explained=float(share),
            )
            for place, (direction, share) in enumerate(zip(directions, shares, strict=True))
        ]
        return tuple(found)

    def values(self, axis: str) -> Float32:
        """Return [N] float32, the place of every core state on an axis."""
        found = re.fullmatch(r"([cp])(\d{1,4})", axis)
        place = int(found[2]) if found else -1
        if found and found[1] == "c" and place < len(self.labels):
            column = self._mdp.transitions.next_observations[:, place]
            return np.ascontiguousarray(column, dtype=np.float32)
        mean, directions, _ = self._principal()
        if found and found[1] == "p" and place < len(directions):
            features = self._mdp.core_features[:, : len(mean)]
            direction = directions[place]
            return np.asarray(features @ direction - mean @ direction, dtype=np.float32)
        raise InputError("axis", "'c' or 'p' with a number, as /api/axes lists them", repr(axis))

    def range(self, values: Float32) -> tuple[float, float]:
        """Return where most of the values of an axis lie."""
        return _range(values[self.picks])

    def _principal(self) -> tuple[Float64, Float64, Float64]:
        """Return the mean [D], directions [P, D] and their shares [P] of the variance."""
        with self._lock:
            if self._directions is None:
                self._directions = _principal(self._features(self.picks))
            return self._directions

    def _features(self, rows: Array) -> Float64:
        return np.asarray(self._mdp.core_features[rows][:, :WIDE], dtype=np.float64)


def spread_rows(size: int, most: int) -> Array:
    """Return at most so many row numbers, evenly spread and ascending."""
    number = min(size, most)
    return np.arange(number, dtype=np.int64) * size // max(number, 1)


def _principal(features: Float64) -> tuple[Float64, Float64, Float64]:
    mean = features.mean(axis=0)
    variances, vectors = np.linalg.eigh(np.atleast_2d(np.cov(features - mean, rowvar=False)))
    order = np.argsort(-variances, kind="stable")[:COMPONENTS]
    total = max(float(variances.sum()), np.finfo(np.float64).tiny)
    directions = vectors[:, order].T
    # A direction and its opposite are one component: the largest entry is positive.
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    return mean, directions * np.sign(largest), np.maximum(variances[order], 0.0) / total


def _range(values: Sequence[float] | Array) -> tuple[float, float]:
    low, high = np.quantile(values, (0.01, 0.99)) if len(values) else (0.0, 1.0)
    if not low < high:
        low, high = float(np.min(values)), float(np.max(values))
    margin = MARGIN * (high - low) or 0.5
    return float(low - margin), float(high + margin)
