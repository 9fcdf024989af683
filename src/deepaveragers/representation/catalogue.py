"""Encoders by name, as the command line asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import InputError
from ..outputs import check_file
from .encoder import Encoder, Identity, Standardize
from .experience import Experience

TRAINED = ("dqn", "bcq")
NAMES = ("standardize", "identity", "random", *TRAINED)
SUFFIX = ".safetensors"


def encoder_by_name(
    name: str,
    data: Experience,
    *,
    train_steps: int = 100_000,
    seed: int = 0,
    **training: Any,
) -> Encoder:
    """Return an encoder, trained on the data where it is a trained one.

    Args:
        name: one of `NAMES`, or a file that `save_encoder` wrote.
        data: the transitions to train on.
        train_steps: updates of "dqn" and "bcq".
        seed: of random weights and of training.
        training: other arguments of `train_dqn` and `train_bcq`, such as `run_dir`.
    """
    if name == "standardize":
        return Standardize()
    if name == "identity":
        return Identity()
    if name == "random":
        from .random_network import RandomNetwork

        return RandomNetwork(seed=seed)
    if name in TRAINED:
        return train_by_name(name, data, train_steps, seed=seed, **training)
    if name.endswith(SUFFIX) or Path(name).exists():
        from .network_files import load_encoder

        return load_encoder(name)
    raise InputError("encoder", f"one of {', '.join(NAMES)}, or a {SUFFIX} file", repr(name))


def train_by_name(algorithm: str, data: Experience, steps: int, **training: Any) -> Any:
    """Train "dqn" or "bcq" on the data, and return it as an encoder."""
    if algorithm == "dqn":
        from .dqn import train_dqn

        return train_dqn(data, steps, **training)
    if algorithm == "bcq":
        from .bcq import train_bcq

        return train_bcq(data, steps, **training)
    raise InputError("algorithm", "'dqn' or 'bcq'", repr(algorithm))


def check_encoder_path(path: Path) -> None:
    """Refuse a path that `encoder_by_name` would not take for a file, before any long work."""
    if path.suffix != SUFFIX or path.is_dir():
        raise InputError("output", f"a file whose name ends in {SUFFIX}", path)
    check_file(path)
