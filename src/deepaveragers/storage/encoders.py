"""Encoders as plain settings and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import BundleError, InputError
from ..representation.architecture import Architecture
from ..representation.encoder import Encoder, FunctionEncoder, Identity, Standardize
from ..representation.network_encoder import NetworkEncoder


def pack_encoder(encoder: Encoder) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of an encoder."""
    if isinstance(encoder, Identity):
        return {"kind": "identity"}, {}
    if isinstance(encoder, Standardize) and encoder.mean is not None and encoder.scale is not None:
        return {"kind": "standardize"}, {"mean": encoder.mean, "scale": encoder.scale}
    if isinstance(encoder, FunctionEncoder):
        return {"kind": "function"}, {}
    if isinstance(encoder, NetworkEncoder):
        settings = {
            "kind": "network",
            "head": encoder.head,
            "architecture": encoder.architecture.to_json(),
        }
        return settings, dict(encoder.weights)
    raise InputError(
        "encoder",
        "Standardize, Identity, a network or a plain function to be saved",
        type(encoder).__name__,
    )


def unpack_encoder(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Encoder | None:
    """Return the encoder; None for a plain function, which only the caller can give."""
    kind = settings["kind"]
    if kind == "identity":
        return Identity()
    if kind == "standardize":
        return Standardize(mean=arrays["mean"], scale=arrays["scale"])
    if kind == "function":
        return None
    if kind == "network":
        return NetworkEncoder(
            architecture=Architecture.from_json(settings["architecture"]),
            weights={name: np.asarray(array) for name, array in arrays.items()},
            head=settings["head"],
        )
    raise BundleError(f"its encoder {kind!r} is not known to this version.")
