"""Encoders by name, as the command line asks for them."""

from __future__ import annotations

import importlib
from inspect import signature
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..outputs import check_file
from .encoder import Encoder, Identity, Standardize
from .experience import Experience

TRAINED = {
    "dynamics": 3_000,
    "outcomes": 3_000,
    "behavior": 3_000,
    "dqn": 100_000,
    "bcq": 100_000,
}
"""What is trained, and updates by default."""
NAMES = ("standardize", "identity", "random", *TRAINED)
PREDICTED = {"outcomes": ("change", "return", "action"), "behavior": ("action",)}
"""What dynamics networks of other names predict: what actions do, what followed in the log, and
what was done; or what was done alone."""
SUFFIX = ".safetensors"


def encoder_by_name(
    name: str,
    data: Experience,
    *,
    train_steps: int | None = None,
    seed: int = 0,
    **training: Any,
) -> Encoder:
    """Return an encoder, trained on the data where it is a trained one.

    Args:
        name: one of `NAMES`, or a file that `save_encoder` wrote.
        data: the transitions to train on.
        train_steps: updates of a trained one; None takes `TRAINED`'s.
        seed: of random weights and of training.
        training: other arguments of its training, such as `run_dir`.
    """
    if name == "standardize":
        return Standardize()
    if name == "identity":
        return Identity()
    if name == "random":
        from .random_network import RandomNetwork

        return RandomNetwork(seed=seed)
    if name in TRAINED:
        steps = TRAINED[name] if train_steps is None else train_steps
        return train_by_name(name, data, steps, seed=seed, **training)
    if name.endswith(SUFFIX) or Path(name).exists():
        from .network_files import load_encoder

        return load_encoder(name)
    raise InputError("encoder", f"one of {', '.join(NAMES)}, or a {SUFFIX} file", repr(name))


def train_by_name(algorithm: str, data: Experience, steps: int, **training: Any) -> Any:
    """Train an encoder on the data by the name of its algorithm.

    Args:
        algorithm: one of `TRAINED`.
        data: the transitions.
        steps: number of updates.
        training: other arguments of its training; those that are None are left out.
    """
    if algorithm not in TRAINED:
        raise InputError("algorithm", " or ".join(map(repr, TRAINED)), repr(algorithm))
    given = {name: value for name, value in training.items() if value is not None}
    home = algorithm
    if algorithm in PREDICTED:
        home, given = "dynamics", {"predict": PREDICTED[algorithm], **given}
    train = getattr(importlib.import_module(f".{home}", __package__), f"train_{home}")
    for name in given.keys() - signature(train).parameters.keys():
        raise InputError(name, f"left out for {algorithm!r}", repr(given[name]))
    return train(data, steps, **given)


def check_encoder_path(path: Path) -> None:
    """Refuse a path that `encoder_by_name` would not take for a file, before any long work."""
    if path.suffix != SUFFIX or path.is_dir():
        raise InputError("output", f"a file whose name ends in {SUFFIX}", path)
    check_file(path)
