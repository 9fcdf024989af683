"""The methods: ours, this package's own networks, d3rlpy's, and what everybody is compared with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import deepaveragers as da

from .peers.learning import PEERS, Peers
from .playing import Act

UPDATES = 10_000
"""Of every network that is trained on vectors."""
PICTURE_UPDATES = 5_000
"""Of every network that is trained on pictures."""


@dataclass(frozen=True)
class Made:
    """A policy, and what its method says of it.

    Attributes:
        act: from observations [B, ...] to actions [B].
        predicted: value at the log's starts; None where the method has none.
        seconds: of processor time.
        chosen: what `fit` chose.
        shown: whether `fit` says that it is better than behaviour.
    """

    act: Act
    predicted: float | None
    seconds: float
    chosen: str | None = None
    shown: bool | None = None


def default(data: da.Transitions) -> Made:
    """Plan with the defaults; pictures need an encoder: the one that the error names first."""
    began = time.process_time()
    pictures = data.observations.ndim > 2
    encoder = da.train_dynamics(data, show_progress=False) if pictures else None
    policy = da.compile(data, encoder=encoder).solve().policy()
    return _asked(policy, data, began)


def fit(data: da.Transitions) -> Made:
    """Have a policy chosen, with the defaults."""
    began = time.process_time()
    found = da.fit(data, show_progress=False)
    seconds = time.process_time() - began
    return Made(found.policy.act, found.value, seconds, str(found.candidate), found.shown)


def own_dqn(data: da.Transitions) -> Made:
    """Train this package's DQN, and act by it."""
    began = time.process_time()
    network = da.train_dqn(data, updates(data), show_progress=False)
    return _asked(network.policy(), data, began)


def own_bcq(data: da.Transitions) -> Made:
    """Train this package's BCQ, and act by it."""
    began = time.process_time()
    network = da.train_bcq(data, updates(data), show_progress=False)
    return _asked(network.policy(), data, began)


def updates(data: da.Transitions) -> int:
    """Return the number of updates with which networks are trained."""
    return UPDATES if data.observations.ndim == 2 else PICTURE_UPDATES


OURS: dict[str, Callable[[da.Transitions], Made]] = {
    "default": default,
    "fit": fit,
    "own-dqn": own_dqn,
    "own-bcq": own_bcq,
}
REFERENCES = ("behaviour", "random")
METHODS = (*REFERENCES, *OURS, *PEERS)
TITLES = {
    "behaviour": "behaviour",
    "random": "random",
    "default": "ours, default",
    "fit": "ours, fit",
    "own-dqn": "own DQN",
    "own-bcq": "own BCQ",
    "cql": "CQL",
    "bcq": "BCQ",
    "ddqn": "DDQN",
    "bc": "BC",
}
"""As they stand in tables; the last four are d3rlpy's."""


def make(method: str, data: da.Transitions, seed: int, peers: Peers) -> Made:
    """Make a policy from a log."""
    if method in OURS:
        return OURS[method](data)
    learnt = peers.learn(data, method, updates(data), seed)
    return Made(learnt.act, learnt.predicted, learnt.seconds)


def starts(data: da.Transitions) -> Any:
    """Return the first observations of the logged episodes."""
    first = np.append(True, data.episode_ids[1:] != data.episode_ids[:-1])
    return np.asarray(data.observations[np.flatnonzero(first)])


def _asked(policy: Any, data: da.Transitions, began: float) -> Made:
    seconds = time.process_time() - began
    predicted = float(policy.q_values(starts(data)).max(axis=1).mean())
    return Made(policy.act, predicted, seconds)
