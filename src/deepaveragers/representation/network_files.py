"""Networks as plain settings and arrays, and as files of their own.

encoder.safetensors     weights; its header holds the JSON of kind, head, architecture
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import file_path
from ..arrays import Array
from ..errors import BundleError, InputError
from .architecture import Architecture
from .bcq import BcqEncoder
from .dqn import DqnEncoder
from .dynamics import DynamicsEncoder
from .network_encoder import NetworkEncoder
from .weights import read_weights, write_weights

KINDS: dict[str, type[NetworkEncoder]] = {
    "network": NetworkEncoder,
    "dqn": DqnEncoder,
    "bcq": BcqEncoder,
    "dynamics": DynamicsEncoder,
}


def pack_network(encoder: NetworkEncoder) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of a network."""
    kinds = {kind: name for name, kind in KINDS.items()}
    settings: dict[str, Any] = {
        "kind": kinds[type(encoder)],
        "head": encoder.head,
        "architecture": encoder.architecture.to_json(),
    }
    if isinstance(encoder, BcqEncoder):
        settings["threshold"] = encoder.threshold
    return settings, dict(encoder.weights)


def unpack_network(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> NetworkEncoder:
    """Return the network that `pack_network` described."""
    more: dict[str, Any] = (
        {"threshold": float(settings["threshold"])} if "threshold" in settings else {}
    )
    return KINDS[settings["kind"]](
        architecture=Architecture.from_json(settings["architecture"]),
        weights={name: np.asarray(array) for name, array in arrays.items()},
        head=settings["head"],
        **more,
    )


def save_encoder(encoder: NetworkEncoder, path: str | os.PathLike[str]) -> Path:
    """Save a network as one safetensors file."""
    if type(encoder) not in KINDS.values():
        raise InputError("encoder", "a fitted or trained network", type(encoder).__name__)
    settings, arrays = pack_network(encoder)
    return write_weights(file_path("path", path), arrays, {"encoder": settings})


def load_encoder(path: str | os.PathLike[str], *, device: str = "cpu") -> NetworkEncoder:
    """Load what `save_encoder` wrote, onto a device."""
    path = file_path("path", path)
    arrays, about = read_weights(path)
    try:
        return unpack_network(about["encoder"], arrays).to(device)
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(f"{path} is not an encoder, or is damaged: {error}.") from error
