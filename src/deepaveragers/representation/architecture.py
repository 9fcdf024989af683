"""Shapes of the networks: a plain record, and the names and shapes of its weights.

A network has a trunk of convolutions (none for vectors) and one or more heads of its own
linear layers on top. Every layer but a head's output is followed by a ReLU (the last hidden
one by a tanh, where asked for); the last hidden layer of a head is the representation.

Picture networks follow Mnih et al. (2015); the paper's Table 2 adds the layer of 16 units.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..arguments import choice
from ..arrays import Float32
from ..errors import InputError
from .experience import Columns

Kind = Literal["auto", "mlp", "nature_cnn", "small_cnn"]
"""'auto' takes an MLP for vectors, the Nature CNN for pictures, a small CNN for tiny ones."""

CONVOLUTIONS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "mlp": (),
    "nature_cnn": ((32, 8, 4), (64, 4, 2), (64, 3, 1)),
    "small_cnn": ((16, 3, 2), (32, 3, 2)),
}
NATURE_MINIMUM = 36
"""Smallest side that leaves one pixel after the three convolutions of the Nature CNN."""

Bottleneck = Literal["relu", "tanh"]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """The shape of a network.

    Attributes:
        input_shape: of one observation: (D,), (H, W), (C, H, W) or (H, W, C).
        channels: which axis of a picture holds its channels; "none" for (H, W) and vectors.
        convolutions: (filters, kernel, stride) of each; empty for vectors.
        hidden: widths of each head's hidden layers; the last is the representation.
        heads: names of the heads.
        outputs: width of each head's output layer; 0 for none.
        blur: side of the square over which pixels are averaged first; None for no blur.
        bottleneck: what follows the last hidden layer.
    """

    input_shape: tuple[int, ...]
    channels: Literal["first", "last", "none"] = "none"
    convolutions: tuple[tuple[int, int, int], ...] = ()
    hidden: tuple[int, ...] = (512, 16)
    heads: tuple[str, ...] = ("q",)
    outputs: int = 0
    blur: int | None = None
    bottleneck: Bottleneck = "relu"

    @property
    def is_image(self) -> bool:
        """Whether observations are pictures."""
        return bool(self.convolutions)

    @property
    def picture(self) -> tuple[int, int, int]:
        """Channels, height and width of a picture."""
        if self.channels == "first":
            channels, height, width = self.input_shape
        elif self.channels == "last":
            height, width, channels = self.input_shape
        else:
            channels, (height, width) = 1, self.input_shape
        return channels, height, width

    def layers(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every layer's weight, by name, in the order of computation."""
        shapes: dict[str, tuple[int, ...]] = {}
        width = self.input_shape[0]
        if self.is_image:
            channels, *sides = self.picture
            for place, (filters, kernel, stride) in enumerate(self.convolutions):
                shapes[f"trunk.{place}"] = (filters, channels, kernel, kernel)
                channels = filters
                sides = [(side - kernel) // stride + 1 for side in sides]
            width = channels * sides[0] * sides[1]
        for head in self.heads:
            inputs = width
            for place, units in enumerate(self.hidden):
                shapes[f"{head}.{place}"] = (units, inputs)
                inputs = units
            if self.outputs:
                shapes[f"{head}.output"] = (self.outputs, inputs)
        return shapes

    def initial_weights(self, seed: int) -> dict[str, Float32]:
        """Return weights and biases uniform in +-1/sqrt(fan-in), as PyTorch's default.

        They are drawn by NumPy: the same seed gives the same network with any PyTorch.
        """
        generator = np.random.default_rng(seed)
        weights: dict[str, Float32] = {}
        for name, shape in self.layers().items():
            bound = 1.0 / math.sqrt(math.prod(shape[1:]))
            weights[f"{name}.weight"] = generator.uniform(-bound, bound, shape).astype(np.float32)
            weights[f"{name}.bias"] = generator.uniform(-bound, bound, shape[0]).astype(np.float32)
        return weights

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Architecture:
        """Return the record that `to_json` described."""
        return cls(
            input_shape=tuple(values["input_shape"]),
            channels=values["channels"],
            convolutions=tuple(tuple(layer) for layer in values["convolutions"]),
            hidden=tuple(values["hidden"]),
            heads=tuple(values["heads"]),
            outputs=values["outputs"],
            blur=values["blur"],
            bottleneck=values.get("bottleneck", "relu"),
        )


def design(
    observations: Columns,
    kind: Kind = "auto",
    *,
    hidden: tuple[int, ...],
    heads: tuple[str, ...],
    outputs: int = 0,
    blur: int | None = None,
    bottleneck: Bottleneck = "relu",
) -> Architecture:
    """Return the architecture of this kind that fits observations [B, ...]."""
    shape = tuple(int(length) for length in observations.shape[1:])
    is_picture = observations.dtype == np.uint8 and len(shape) >= 2
    choice("architecture", kind, get_args(Kind))
    if kind == "auto":
        kind = "mlp" if not is_picture else _picture_kind(shape)
    if blur is not None and (blur < 1 or blur % 2 == 0 or not is_picture):
        raise InputError("blur", "an odd number of pixels, for pictures only", blur)
    if kind == "mlp":
        return Architecture(
            input_shape=(math.prod(shape),),
            hidden=hidden,
            heads=heads,
            outputs=outputs,
            bottleneck=bottleneck,
        )
    if not is_picture:
        raise InputError(
            "architecture", "'mlp' for vector observations", f"{kind!r} for shape {shape}"
        )
    return Architecture(
        input_shape=shape,
        channels=_channel_axis(shape),
        convolutions=CONVOLUTIONS[kind],
        hidden=hidden,
        heads=heads,
        outputs=outputs,
        blur=blur,
        bottleneck=bottleneck,
    )


def _channel_axis(shape: tuple[int, ...]) -> Literal["first", "last", "none"]:
    if len(shape) == 2:
        return "none"
    if len(shape) != 3:
        raise InputError(
            "observations",
            "pictures of shape (H, W), (C, H, W) or (H, W, C)",
            f"shape {shape}",
            "Merge stacked frames and colours into one axis of channels.",
        )
    return "first" if shape[0] <= shape[2] else "last"


def _picture_kind(shape: tuple[int, ...]) -> Kind:
    axis = _channel_axis(shape)
    sides = {"none": shape, "first": shape[1:], "last": shape[:2]}[axis]
    if min(sides) >= NATURE_MINIMUM:
        return "nature_cnn"
    if min(sides) >= 7:
        return "small_cnn"
    raise InputError("observations", "pictures of at least 7 x 7 pixels", f"shape {shape}")
