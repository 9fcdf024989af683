"""Any PyTorch module as an encoder.

The module is the caller's: it is not trained here, and a bundle does not hold it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..arguments import instance, whole_number
from ..arrays import Floats
from .encoder import checked_features
from .experience import Columns

BATCH = 256


@dataclass(frozen=True, eq=False)
class TorchEncoder:
    """A module from float32 batches [B, ...] to features; more dimensions are flattened.

    Pictures (uint8) are divided by 255, other numbers are passed as they are. The module runs
    in evaluation mode without gradients, and is left in the mode in which it was.

    Attributes:
        module: the `torch.nn.Module`.
        device: where it runs, "cpu" or a CUDA device; the module is moved there.
        batch_size: observations at a time.
    """

    module: Any
    device: str = "cpu"
    batch_size: int = field(default=BATCH, kw_only=True)

    def __post_init__(self) -> None:
        from .networks import check_device, torch

        check_device(self.device)
        instance("module", self.module, torch.nn.Module, "a torch.nn.Module")
        object.__setattr__(self, "batch_size", whole_number("batch_size", self.batch_size))

    def fit(self, observations: Columns) -> Self:
        """Return itself: the module is trained already, or meant to be random."""
        return self

    def encode(self, observations: Columns) -> Floats:
        """Return the module's features [B, D], float32 unless it gives float64."""
        from .networks import torch

        size = len(observations)
        parts = []
        with torch.inference_mode(), _evaluating(self.module.to(self.device)):
            for start in range(0, size, self.batch_size):
                rows = np.array(observations[start : start + self.batch_size])
                signal = torch.as_tensor(rows, device=self.device).to(torch.float32)
                if rows.dtype == np.uint8:
                    signal /= 255.0
                features = self.module(signal).flatten(1).cpu()
                parts.append(features.to(torch.promote_types(features.dtype, torch.float32)))
        return checked_features(torch.cat(parts).numpy(), size)


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Switch drop-out and the like off, and back again."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
