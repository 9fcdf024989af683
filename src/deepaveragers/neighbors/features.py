"""The representation of s and s', checked once: what every search may rely on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..errors import InputError

LARGEST_FEATURE = 1e36
"""Distances are kept in float32."""


@dataclass(frozen=True, eq=False)
class Features:
    """Features whose distances are numbers.

    Attributes:
        source: [N, D] float, of the states that transitions start from.
        core: [Q, D] float, of the states whose neighbours are searched: those that transitions
            lead to.
    """

    source: Floats
    core: Floats

    def __post_init__(self) -> None:
        check_features(self.source, "source_features")
        check_features(self.core, "core_features")
        if self.source.shape[1] != self.core.shape[1]:
            received = f"shape {self.core.shape}"
            raise InputError("core_features", f"of shape [N, {self.source.shape[1]}]", received)


def check_features(features: Floats, name: str) -> None:
    """Raise an error unless features are [N, D] floating numbers whose distances are numbers."""
    if features.ndim != 2 or 0 in features.shape:
        raise InputError(name, "an array [N, D] with N, D >= 1", f"shape {features.shape}")
    if not np.issubdtype(features.dtype, np.floating):
        raise InputError(name, "of a floating type", features.dtype)
    if max(features.max(), -features.min()) <= LARGEST_FEATURE:
        return
    if np.isnan(features).any():
        where = int(np.isnan(features).any(axis=1).argmax())
        raise InputError(name, "numbers", f"nan in row {where}", "Remove such rows.")
    where = int(np.abs(features).max(axis=1).argmax())
    farthest = features[where][np.abs(features[where]).argmax()]
    raise InputError(
        name,
        f"within +-{LARGEST_FEATURE:g}, so that distances are numbers",
        f"{in_words(farthest)} in row {where}",
        "Remove such rows, or scale the features down.",
    )


def in_words(feature: float) -> str:
    """Return a feature that is too large, in words; finite data may have infinite ones."""
    return f"{feature:g}" if np.isfinite(feature) else f"one far beyond {LARGEST_FEATURE:g}"
