"""The forward pass, in PyTorch; functions of an architecture and a dictionary of weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from ..arguments import shown
from ..arrays import Array, Floats
from ..errors import InputError, MissingExtraError
from .architecture import Architecture
from .standardizing import MEAN, SCALE

try:
    import torch
    import torch.nn.functional as F
    from torch import inference_mode
except ImportError as error:
    raise MissingExtraError("torch", "deep") from error

__all__ = [
    "F",
    "Weights",
    "as_arrays",
    "as_tensors",
    "check_device",
    "inference_mode",
    "output",
    "representation",
    "torch",
    "trunk",
]

Weights: TypeAlias = Mapping[str, torch.Tensor]


def as_tensors(weights: Mapping[str, Array], device: str = "cpu") -> dict[str, torch.Tensor]:
    """Return copies on the device; convolutions in the layout that is fastest there."""
    check_device(device)
    return {name: _placed(torch.tensor(array), device) for name, array in weights.items()}


def check_device(device: str) -> None:
    """Raise an error unless tensors can be on the device."""
    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError, TypeError, ValueError, OverflowError):
        allowed = "'cpu', or a CUDA device that this machine has"
        raise InputError("device", allowed, shown(device)) from None


def _placed(tensor: torch.Tensor, device: str) -> torch.Tensor:
    tensor = tensor.to(device)
    if tensor.ndim == 4:
        return tensor.contiguous(memory_format=torch.channels_last)
    return tensor


def as_arrays(weights: Weights) -> dict[str, Floats]:
    """Return copies as plain arrays."""
    return {
        name: tensor.detach().cpu().contiguous().numpy().copy() for name, tensor in weights.items()
    }


def trunk(network: Architecture, weights: Weights, observations: Array) -> torch.Tensor:
    """Return [B, width], what the heads read: flattened convolutions, or columns."""
    device = next(iter(weights.values())).device
    if not network.is_image:
        columns = torch.as_tensor(
            np.array(observations), dtype=torch.float64, device=device
        ).flatten(1)
        if MEAN in weights:
            columns = (columns - weights[MEAN]) * weights[SCALE]
        return columns.float()
    pixels = torch.as_tensor(np.require(observations, requirements="W"), device=device)
    if network.channels == "none":
        pixels = pixels.unsqueeze(1)
    elif network.channels == "last":
        pixels = pixels.permute(0, 3, 1, 2)
    signal = pixels.to(torch.float32, memory_format=torch.channels_last).div_(255.0)
    if MEAN in weights:
        signal = (signal - weights[MEAN]) * weights[SCALE]
    if network.blur is not None:
        side = network.blur
        signal = F.avg_pool2d(signal, side, 1, side // 2, count_include_pad=False)
    for place, (_, _, stride) in enumerate(network.convolutions):
        name = f"trunk.{place}"
        signal = F.relu(
            F.conv2d(signal, weights[f"{name}.weight"], weights[f"{name}.bias"], stride)
        )
    return signal.flatten(1)


def representation(
    network: Architecture, weights: Weights, signal: torch.Tensor, head: str
) -> torch.Tensor:
    """Return [B, hidden[-1]], the head's last hidden layer."""
    for place in range(len(network.hidden)):
        name = f"{head}.{place}"
        signal = F.linear(signal, weights[f"{name}.weight"], weights[f"{name}.bias"])
        is_last = place == len(network.hidden) - 1
        signal = signal.tanh() if is_last and network.bottleneck == "tanh" else F.relu(signal)
    return signal


def output(
    network: Architecture, weights: Weights, signal: torch.Tensor, head: str
) -> torch.Tensor:
    """Return [B, outputs] of a head."""
    features = representation(network, weights, signal, head)
    return F.linear(features, weights[f"{head}.output.weight"], weights[f"{head}.output.bias"])
