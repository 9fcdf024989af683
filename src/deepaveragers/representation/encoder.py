"""Representations: observations in, the vectors in which distances are measured out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..arguments import check_takes, shown, unmasked
from ..arrays import Array, Float64, Floats
from ..data.far_values import squashed
from ..data.frame_stacks import stacks_or_none
from ..data.observations import check_finite, is_image
from ..errors import DataWarning, InputError

BATCH = 256


@runtime_checkable
class Encoder(Protocol):
    """Maps observations [B, ...] to features [B, D]."""

    def fit(self, observations: Array) -> Encoder:
        """Return an encoder fitted to the observations; the receiver stays as it is."""

    def encode(self, observations: Array) -> Floats:
        """Return features [B, D], float32 or float64."""


@dataclass(frozen=True)
class Identity:
    """Raw numbers as they are, one column per entry of the observation."""

    def fit(self, observations: Array) -> Identity:
        """Return itself: there is nothing to fit."""
        return self

    def encode(self, observations: Array) -> Floats:
        """Return the observations as columns, float64 if they are, else float32."""
        flat = np.asarray(observations).reshape(len(observations), -1)
        return flat if flat.dtype == np.float64 else flat.astype(np.float32, copy=False)


@dataclass(frozen=True, eq=False)
class Standardize:
    """Every column with mean 0 and variance 1 over the data; constant columns become 0.

    Attributes:
        mean: [D] float64, fitted; None before fitting.
        scale: [D] float64, the factor 1/standard deviation, 0 for a constant column.
        double: whether features are float64, as for data that are; otherwise float32.
    """

    mean: Float64 | None = None
    scale: Float64 | None = None
    double: bool = False

    def fit(self, observations: Array) -> Standardize:
        """Return an encoder with the mean and deviation of these observations."""
        if is_image(observations):
            raise InputError(
                "encoder",
                "a picture encoder (a callable on uint8 batches, or a network)",
                "Standardize for picture observations",
                "Identity() compares raw pixels.",
            )
        columns = observations.reshape(len(observations), -1)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = columns.mean(axis=0, dtype=np.float64)
            deviation = columns.std(axis=0, dtype=np.float64)
        # Beyond all floats, as if infinite: what is measured by it becomes 0.
        beyond = ~np.isfinite(deviation)
        mean[beyond], deviation[beyond] = 0.0, np.inf
        _warn_of_squashed(columns, deviation)
        # Rounding leaves a constant column of size x with a deviation near x * 2^-53.
        constant = deviation <= 1e-12 * np.abs(mean)
        with np.errstate(divide="ignore"):
            scale = np.where(constant, 0.0, 1.0 / deviation)
        return Standardize(mean=mean, scale=scale, double=columns.dtype == np.float64)

    def encode(self, observations: Array) -> Floats:
        """Return the standardised columns, in the precision of the data fitted to."""
        if self.mean is None or self.scale is None:
            raise InputError("encoder", "fitted before use", "Standardize() not fitted")
        columns = observations.reshape(len(observations), -1)
        # What float32 cannot hold becomes infinite, and is refused wherever distances are measured.
        with np.errstate(over="ignore", invalid="ignore"):
            features = (columns - self.mean) * self.scale
            return features if self.double else features.astype(np.float32)


def _warn_of_squashed(columns: Array, deviation: Float64) -> None:
    """Say which column a few far values take out of all distances."""
    found, most = squashed(columns, deviation)
    if not found.any():
        return
    place = int(np.argmax(found))
    values = columns[:, place]
    farthest = values[np.argmax(np.abs(values - most.middle[place]))]
    others = int(found.sum()) - 1
    warnings.warn(
        f"Observation column {place} has values as far out as {farthest:g}, while most lie in "
        f"{most.low[place]:g} .. {most.high[place]:g}: standardised, these are all but equal, and "
        "the column no longer tells states apart; leave such rows out or mend the values, or "
        "compile with an encoder of your own"
        + (f" (and so in {others} more column{'s' * (others > 1)})." if others else "."),
        DataWarning,
        stacklevel=5,
    )


@dataclass(frozen=True, eq=False)
class FunctionEncoder:
    """Any function from a batch of observations to a batch of vectors."""

    function: Callable[[Array], Any]

    def fit(self, observations: Array) -> FunctionEncoder:
        """Return itself: a plain function has nothing to fit."""
        return self

    def encode(self, observations: Array) -> Floats:
        """Return what the function returns, checked; of stacked frames, a batch at a time."""
        size = len(observations)
        if stacks_or_none(observations) is None:
            return checked_features(self.function(observations), size)
        batches = (observations[start : start + BATCH] for start in range(0, size, BATCH))
        return checked_features(np.concatenate([self.function(one) for one in batches]), size)


def checked_features(features: Any, size: int) -> Floats:
    """Return finite features [size, D], float64 if they are, else float32."""
    features = np.asarray(unmasked("encoder's features", features))
    if features.ndim != 2 or len(features) != size:
        raise InputError(
            "encoder",
            f"a function that returns [{size}, D] features for that batch",
            f"an array of shape {features.shape}",
        )
    if features.dtype != np.float64:
        features = features.astype(np.float32)
    check_finite(features, "encoder's features", "Look at what it does with such observations.")
    return features


def as_encoder(encoder: Encoder | Callable[[Array], Any] | None, observations: Array) -> Encoder:
    """Return the encoder that was meant.

    None standardises vectors; functions, PyTorch modules and transformers are wrapped.
    """
    if encoder is None:
        if is_image(observations):
            raise InputError(
                "encoder",
                "given for picture observations",
                "None",
                "Learn one, train_dynamics(data), or pass a callable on uint8 batches, or "
                "Identity() to compare raw pixels.",
            )
        return Standardize()
    if isinstance(encoder, type):
        raise InputError("encoder", "an instance", f"the class {encoder.__name__}", "Call it.")
    if isinstance(encoder, Encoder):
        return encoder
    if hasattr(encoder, "transform"):
        from .transformer import TransformerEncoder

        return TransformerEncoder(encoder)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(encoder, torch.nn.Module):
        from .torch_encoder import TorchEncoder

        return TorchEncoder(encoder)
    if callable(encoder):
        check_takes("encoder", encoder, "observations")
        return FunctionEncoder(encoder)
    raise InputError(
        "encoder",
        "an Encoder, a callable, a torch module, a transformer or None",
        shown(encoder),
        "da.Standardize() is what None takes, and da.Identity() leaves numbers as they are.",
    )
