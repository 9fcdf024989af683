"""A network with random weights: the representation that needs no training.

Random convolutions keep much of what a picture shows, and the paper's 3D rooms and the
first points of its Atari curves are planned on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from ..arguments import choice, optional, seed_number, whole_number
from ..arrays import Array, Float32, Floats
from ..errors import InputError
from .architecture import Kind, design
from .network_encoder import NetworkEncoder
from .standardizing import standardization

RANDOM = "random"
"""Name of the head of a random network."""


@dataclass(frozen=True, kw_only=True)
class RandomNetwork:
    """A seeded random network: an MLP for vectors, a CNN for uint8 pictures.

    Attributes:
        architecture: "auto" (an MLP, the Nature CNN, or a small CNN for pictures below
            36 pixels), or one of "mlp", "nature_cnn", "small_cnn".
        dimensions: width of the representation.
        seed: of the weights.
        blur: width in pixels (odd) over which pictures are averaged first, so that fine textures
            do not dominate distances; None for no blur.
        device: where it runs, "cpu" or a CUDA device.
    """

    architecture: Kind = "auto"
    dimensions: int = 512
    seed: int = 0
    blur: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        choice("architecture", self.architecture, get_args(Kind))
        object.__setattr__(self, "dimensions", whole_number("dimensions", self.dimensions))
        object.__setattr__(self, "seed", seed_number(self.seed))
        object.__setattr__(self, "blur", optional(whole_number, "blur", self.blur))

    def fit(self, observations: Array) -> NetworkEncoder:
        """Return the network for observations of this shape; vectors are standardised first."""
        network = design(
            observations,
            self.architecture,
            hidden=(self.dimensions,),
            heads=(RANDOM,),
            blur=self.blur,
        )
        weights: dict[str, Floats] = {**network.initial_weights(self.seed)}
        if not network.is_image:
            weights |= standardization(observations)
        return NetworkEncoder(
            architecture=network, weights=weights, head=RANDOM, device=self.device
        )

    def encode(self, observations: Array) -> Float32:
        """Refuse: the network's shape is known after fitting only."""
        raise InputError("encoder", "fitted before use", "RandomNetwork not fitted")
