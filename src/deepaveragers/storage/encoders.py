"""Encoders as plain settings and arrays.

Functions, modules and transformers are code of the caller's: a bundle says that there was one,
and the caller gives it again when loading. Networks are imported where a bundle has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments import flag
from ..arrays import Array
from ..errors import BundleError, InputError
from ..representation.encoder import Encoder, FunctionEncoder, Identity, Standardize


def pack_encoder(encoder: Encoder) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of an encoder."""
    if isinstance(encoder, Identity):
        return {"kind": "identity"}, {}
    if isinstance(encoder, Standardize) and encoder.mean is not None and encoder.scale is not None:
        settings = {"kind": "standardize", "double": encoder.double}
        return settings, {"mean": encoder.mean, "scale": encoder.scale}
    from ..representation.network_encoder import NetworkEncoder
    from ..representation.network_files import pack_network
    from ..representation.torch_encoder import TorchEncoder
    from ..representation.transformer import TransformerEncoder

    if isinstance(encoder, FunctionEncoder | TorchEncoder | TransformerEncoder):
        return {"kind": "function"}, {}
    if isinstance(encoder, NetworkEncoder):
        return pack_network(encoder)
    raise InputError(
        "encoder",
        "Standardize, Identity, a network or a plain function to be saved",
        type(encoder).__name__,
    )


def unpack_encoder(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Encoder | None:
    """Return the encoder; None for code of the caller's, which only the caller can give."""
    kind = settings["kind"]
    if kind == "identity":
        return Identity()
    if kind == "standardize":
        double = flag("double", settings.get("double", False))  # older bundles have none
        return Standardize(mean=arrays["mean"], scale=arrays["scale"], double=double)
    if kind == "function":
        return None
    from ..representation.network_files import KINDS, unpack_network

    if kind in KINDS:
        return unpack_network(settings, arrays)
    raise BundleError(f"its encoder {kind!r} is not known to this version.")
