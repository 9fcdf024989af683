"""A network with given weights as an encoder.

The record holds plain arrays. PyTorch is loaded when the network first runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from ..arrays import Float32, Floats
from ..errors import InputError
from ..progress import progress
from .architecture import Architecture
from .experience import Columns

BATCH = 256
BAR_FROM = 20_000
"""Observations from which on encoding is long enough for a progress bar."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkEncoder:
    """A network whose weights are known.

    Attributes:
        architecture: the network's shape.
        weights: float32 by name, see `Architecture.layers`; for vectors also the float64
            "input.mean" and "input.scale" by which they are standardised first.
        head: the head whose last hidden layer is the representation.
        device: where it runs, "cpu" or a CUDA device.
    """

    architecture: Architecture
    weights: Mapping[str, Floats]
    head: str
    device: str = "cpu"
    _tensors: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name, shape in self.architecture.layers().items():
            for part, expected in ((f"{name}.weight", shape), (f"{name}.bias", shape[:1])):
                found = self.weights[part].shape if part in self.weights else None
                if found != expected:
                    raise InputError("weights", f"{part} of shape {expected}", found)
        if not set(self.read_from) <= set(self.architecture.heads):
            raise InputError("head", f"one of {self.architecture.heads}", repr(self.head))

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.architecture.input_shape))
        return f"{type(self).__name__}({shape} -> {self.dimensions}, head={self.head!r})"

    @property
    def dimensions(self) -> int:
        """Width of the representation."""
        return self.architecture.hidden[-1] * len(self.read_from)

    @property
    def read_from(self) -> tuple[str, ...]:
        """The heads whose last hidden layers, side by side, are the representation."""
        return (self.head,)

    def fit(self, observations: Columns) -> Self:
        """Return itself: the weights are given."""
        self._check(observations)
        return self

    def to(self, device: str) -> Self:
        """Return the same network on another device."""
        return replace(self, device=device)

    def encode(
        self,
        observations: Columns,
        out: Float32 | None = None,
        *,
        show_progress: bool | None = None,
    ) -> Float32:
        """Return features [B, D] float32, computed in batches.

        Args:
            observations: [B, ...]; anything with a length, a shape and slices will do, such
                as a memory-mapped array.
            out: where to write, for example `numpy.lib.format.open_memmap`; None makes it.
            show_progress: force the bar on or off; None shows a long work's on a terminal.
        """
        from . import networks

        self._check(observations)
        size = len(observations)
        features = np.empty((size, self.dimensions), np.float32) if out is None else out
        show = False if show_progress is None and size < BAR_FROM else show_progress
        weights = self.tensors()
        with networks.inference_mode(), progress("encode", size, show=show) as advance:
            for start in range(0, size, BATCH):
                batch = np.ascontiguousarray(observations[start : start + BATCH])
                signal = networks.trunk(self.architecture, weights, batch)
                rows = features[start : start + len(batch)]
                for place, head in enumerate(self.read_from):
                    layer = networks.representation(self.architecture, weights, signal, head)
                    width = layer.shape[1]
                    rows[:, place * width : (place + 1) * width] = layer.cpu().numpy()
                advance(len(batch))
        return features

    def outputs(self, observations: Columns) -> dict[str, Float32]:
        """Return [B, outputs] float32 of every head."""
        from . import networks

        self._check(observations)
        weights = self.tensors()
        parts: dict[str, list[Float32]] = {head: [] for head in self.architecture.heads}
        with networks.inference_mode():
            for start in range(0, len(observations), BATCH):
                batch = np.ascontiguousarray(observations[start : start + BATCH])
                signal = networks.trunk(self.architecture, weights, batch)
                for head, found in parts.items():
                    values = networks.output(self.architecture, weights, signal, head)
                    found.append(values.cpu().numpy())
        return {head: np.concatenate(found) for head, found in parts.items()}

    def tensors(self) -> dict[str, Any]:
        """Return the weights as tensors on the device, made once."""
        from . import networks

        if not self._tensors:
            self._tensors.update(networks.as_tensors(self.weights, self.device))
        return self._tensors

    def _check(self, observations: Columns) -> None:
        shape = tuple(observations.shape[1:])
        wanted = self.architecture.input_shape
        matches = (
            shape == wanted and observations.dtype == np.uint8
            if self.architecture.is_image
            else int(np.prod(shape)) == wanted[0]
        )
        if not matches:
            raise InputError(
                "observations",
                f"a batch of shape {wanted} each"
                + (" of uint8" if self.architecture.is_image else ""),
                f"shape {shape} of {observations.dtype}",
            )
